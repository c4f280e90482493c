// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How parameters are encoded as a query or a form body.
public enum QueryStringStyle: Sendable, Equatable {
    /// With a format.
    case format(QueryFormat)

    /// With a closure; see ``custom(_:)``.
    case rule(CustomRule<@Sendable (Request, ParameterValue) throws -> String?>)

    /// AFNetworking's format: brackets for arrays and nested keys, `%20` for a space, `1` and `0` for Booleans.
    public static var `default`: Self { .format(QueryFormat()) }

    /// Encodes parameters with a closure.
    ///
    /// In a URL, bytes of the closure's text that are not legal in a query are escaped; in a form body the text is
    /// unchanged.
    ///
    /// - Parameter encode: Returns the text for the request so far and the parameters; nil for no query. Called for
    ///   every value, including an empty dictionary. An error it throws becomes the `underlying` of a
    ///   ``SerializationError/Code/invalidParameters``, unless it is a ``SerializationError`` itself.
    /// - Returns: The style.
    public static func custom(
        _ encode: @escaping @Sendable (_ request: Request, _ parameters: ParameterValue) throws -> String?
    ) -> Self {
        .rule(CustomRule(encode))
    }

    /// Encodes parameters.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - request: The request that they are for; only closures use it.
    /// - Returns: The text; nil if a closure returned nil.
    /// - Throws: ``SerializationError`` if the parameters cannot be encoded.
    public func encode(
        _ parameters: ParameterValue,
        for request: Request
    ) throws(SerializationError) -> String? {
        switch self {
        case .format(let format):
            return try QueryString.encode(parameters, format: format)
        case .rule(let rule):
            do {
                return try rule.function(request, parameters)
            } catch let error as SerializationError {
                throw error
            } catch {
                throw SerializationError(
                    .invalidParameters,
                    reason: "the custom query style refused the parameters",
                    underlying: error
                )
            }
        }
    }
}

extension QueryStringStyle: Codable {
    /// Decodes an archived style; a closure is not archived and becomes ``default``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .default : .format(try container.decode(QueryFormat.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .format(let format): try container.encode(format)
        case .rule: try container.encodeNil()
        }
    }
}
