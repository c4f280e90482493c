// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses an XML or binary property list in a response as a ``PropertyListValue``; nil means that there was nothing to
/// decode.
///
/// There is nothing to decode in a 204 or 205, in the response to a HEAD request and in an empty body. To decode your
/// own type, use a ``DecodableResponseSerializer`` with Foundation's `PropertyListDecoder`.
public struct PropertyListResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The content type that is accepted unless set otherwise: `application/x-plist`.
    public static let defaultContentTypes: Set<String> = ["application/x-plist"]

    /// Which responses are accepted.
    public var validation: ResponseValidation

    /// The limits beyond which a document is refused.
    public var limits: ParsingLimits

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: Which responses are accepted.
    ///   - limits: The limits beyond which a document is refused.
    public init(
        validation: ResponseValidation = ResponseValidation(contentTypes: Self.defaultContentTypes),
        limits: ParsingLimits = ParsingLimits()
    ) {
        self.validation = validation
        self.limits = limits
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func serialize(_ response: Response) throws(SerializationError) -> PropertyListValue? {
        try self.validation.validate(response)
        if response.hasNoContent { return nil }
        do {
            return try PropertyListParser(limits: self.limits).parse(response.body)
        } catch {
            throw error.about(response)
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// Parses the body as a ``PropertyListValue``; nil if there is nothing to decode.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}
