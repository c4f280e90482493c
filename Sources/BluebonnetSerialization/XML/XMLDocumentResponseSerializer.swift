// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Parses an XML response as a tree of values; nil means that there was nothing to parse.
///
/// The document must be well-formed, see ``ParsedXML/init(parsing:limits:)``. There is nothing to parse in a 204 or
/// 205, in the response to a HEAD request and in an empty body.
///
/// The encoding is the one that the document itself has, by its byte order mark or its declaration. The `charset` parameter
/// of Content-Type, which RFC 7303 section 3 puts before the declaration, is not used: servers often send one that is not
/// true.
public struct XMLDocumentResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The content types that are accepted unless set otherwise: `application/xml`, `text/xml`, and every type with the
    /// suffix `+xml` (RFC 7303 section 4.2), which is no part of the Accept field.
    public static let defaultContentTypes: Set<String> = ["application/xml", "text/xml", "*+xml"]

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

    public func serialize(_ response: Response) throws(SerializationError) -> ParsedXML? {
        try self.validation.validate(response)
        if response.hasNoContent { return nil }
        do {
            return try ParsedXML(parsing: response.body, limits: self.limits)
        } catch {
            throw error.about(response)
        }
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// Parses the body as a ``ParsedXML``; nil if there is nothing to parse.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}
