// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes parameters as a JSON document (RFC 8259) in the body.
///
/// Dates are encoded as ISO 8601 in UTC, data as base64, sets as sorted arrays. Numbers that are not finite are an
/// error with a coding path, and so are parameters nested deeper than ``maximumDepth``.
///
/// Methods that encode parameters in the URL still do so. Without parameters there is neither a body nor a
/// Content-Type.
public struct JSONRequestSerializer: DocumentRequestSerializer, Equatable, Codable {
    public var base: HTTPRequestSerializer

    /// Whether the document is indented for readability: no unless changed.
    public var isPretty = false

    /// Whether the keys of objects are sorted by their UTF-8 bytes, so that the same parameters give the same bytes: yes unless changed.
    public var sortsKeys = true

    /// Whether a document may be a single value; false, which allows arrays, sets and dictionaries only, unless
    /// changed.
    public var allowsFragments = false

    /// The maximum nesting of arrays, sets and dictionaries: 128 levels unless changed.
    ///
    /// Deeper parameters are an error. Values above ``ParsingLimits/maximumDepth`` have no effect.
    public var maximumDepth = ParsingLimits.defaultDepth

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - base: The serializer that sets header fields and options, and encodes queries.
    ///   - isPretty: Whether the document is indented for readability.
    ///   - sortsKeys: Whether the keys of objects are sorted by their UTF-8 bytes.
    ///   - allowsFragments: Whether a document may be a single value.
    ///   - maximumDepth: The maximum nesting of arrays, sets and dictionaries, in levels.
    public init(
        base: HTTPRequestSerializer = HTTPRequestSerializer(),
        isPretty: Bool = false,
        sortsKeys: Bool = true,
        allowsFragments: Bool = false,
        maximumDepth: Int = ParsingLimits.defaultDepth
    ) {
        self.base = base
        self.isPretty = isPretty
        self.sortsKeys = sortsKeys
        self.allowsFragments = allowsFragments
        self.maximumDepth = maximumDepth
    }

    public var contentType: String { "application/json" }

    public func body(from parameters: ParameterValue) throws(SerializationError) -> RequestBody {
        if !self.allowsFragments {
            switch parameters {
            case .array, .set, .dictionary: break
            default:
                throw SerializationError(
                    .invalidParameters,
                    reason:
                        "the parameters are \(parameters.kindName), no dictionary or array; to send it, set allowsFragments"
                )
            }
        }
        let document = try JSONValue(parameters, sortsKeys: self.sortsKeys, maximumDepth: self.maximumDepth)
        return .data(JSONWriter(isPretty: self.isPretty).write(document))
    }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Encodes JSON documents, with the standard header fields.
    public static var json: Self { Self() }
}
