// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses a JSON response as a ``JSONValue``; nil means that there was nothing to decode.
///
/// There is nothing to decode in a 204 or 205, in the response to a HEAD request, in an empty body and in a body of a
/// single space, which some frameworks send for "no content". A response with an unacceptable status is an error even
/// if its body is valid: decode it with ``SerializationError/decode(_:decoder:)``.
public struct JSONResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The content types that are accepted unless set otherwise: `application/json`, `text/json`, `text/javascript`,
    /// and every type with the suffix `+json` (RFC 6839 section 3.1), which is no part of the Accept field.
    public static let defaultContentTypes: Set<String> = ["application/json", "text/json", "text/javascript", "*+json"]

    /// Which responses are accepted.
    public var validation: ResponseValidation

    /// Whether a document may be a string, a number or a literal; false, which requires an object or an array, unless
    /// set.
    public var allowsFragments: Bool

    /// Whether members and elements that are `null` are removed, at every depth; false unless set.
    public var removesNulls: Bool

    /// The limits beyond which a document is refused.
    public var limits: ParsingLimits

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: Which responses are accepted.
    ///   - allowsFragments: Whether a document may be a string, a number or a literal.
    ///   - removesNulls: Whether members and elements that are `null` are removed.
    ///   - limits: The limits beyond which a document is refused.
    public init(
        validation: ResponseValidation = ResponseValidation(contentTypes: Self.defaultContentTypes),
        allowsFragments: Bool = false,
        removesNulls: Bool = false,
        limits: ParsingLimits = ParsingLimits()
    ) {
        self.validation = validation
        self.allowsFragments = allowsFragments
        self.removesNulls = removesNulls
        self.limits = limits
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func serialize(_ response: Response) throws(SerializationError) -> JSONValue? {
        try self.validation.validate(response)
        if response.hasNoContent || Self.isSingleSpace(response) { return nil }
        do {
            let value = try JSONParser(limits: self.limits).parse(response.body)
            try self.checkFragment(value)
            return self.removesNulls ? value.removingNulls() : value
        } catch {
            throw error.about(response)
        }
    }

    static func isSingleSpace(_ response: Response) -> Bool { response.body.count == 1 && response.body.first == 0x20 }

    private func checkFragment(_ value: JSONValue) throws(SerializationError) {
        switch value {
        case .array, .object: return
        case .null, .bool, .number, .string:
            if self.allowsFragments { return }
            throw SerializationError(
                .malformedBody,
                reason: "the JSON document is neither an object nor an array; to take it, set allowsFragments"
            )
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// Parses the body as a ``JSONValue``; nil if there is nothing to decode.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}
