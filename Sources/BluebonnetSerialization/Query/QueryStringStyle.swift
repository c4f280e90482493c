// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How parameters become the text of a query or a form body.
public enum QueryStringStyle: Sendable, Equatable {
    /// By a format.
    case format(QueryFormat)

    /// By a closure; see ``custom(_:)``.
    case rule(CustomRule<@Sendable (Request, ParameterValue) throws -> String?>)

    /// AFNetworking's format: brackets for arrays and nested keys, `%20` for a space, `1` and `0` for truth values.
    public static var `default`: Self { .format(QueryFormat()) }

    /// Writes parameters as a closure says.
    ///
    /// In a URL, bytes of the closure's text that are not legal in a query are escaped; a form body gets the text as it is.
    ///
    /// - Parameter encode: Gives the text, from the request so far and the parameters; nil for no query at all. Called for every value, an
    ///   empty dictionary too. What it throws becomes the `underlying` of a ``SerializationError/Code/invalidParameters``, unless it is a
    ///   ``SerializationError`` itself.
    /// - Returns: The style.
    public static func custom(
        _ encode: @escaping @Sendable (_ request: Request, _ parameters: ParameterValue) throws -> String?
    ) -> Self {
        .rule(CustomRule(encode))
    }

    /// Writes parameters.
    ///
    /// - Parameters:
    ///   - parameters: The parameters.
    ///   - request: The request that they are for; only a closure looks at it.
    /// - Returns: The text; nil if a closure wants none.
    /// - Throws: ``SerializationError`` if the parameters cannot be written.
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
                    reason: "The custom query style refused the parameters.",
                    underlying: error
                )
            }
        }
    }
}

extension QueryStringStyle: Codable {
    /// Reads an archived style; a closure is not archived, and ``default`` stands in for it.
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
