// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import Foundation
public import FoundationXML

/// Returns a parser for the XML of a response that has not been started; nil means that there was nothing to parse.
///
/// The document is checked first: Foundation's parser on Linux reports success for documents that are not well-formed.
/// External entities are never loaded, and a document type with declarations is refused.
///
/// The encoding is the one that the document itself has, by its byte order mark or its declaration. The `charset` parameter
/// of Content-Type, which RFC 7303 section 3 puts before the declaration, is not used: servers often send one that is not
/// true.
///
/// Foundation's parser reads no single tag, comment, processing instruction or CDATA section of more than 10,000,000 bytes:
/// a document with one is refused with the code `limitExceeded`. `XMLDocumentResponseSerializer` reads it.
public struct XMLParserResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// The content types that are accepted unless set otherwise: `application/xml`, `text/xml`, and every type with the
    /// suffix `+xml`.
    public static let defaultContentTypes = XMLDocumentResponseSerializer.defaultContentTypes

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

    public func serialize(_ response: Response) throws(SerializationError) -> UnstartedXMLParser? {
        try self.validation.validate(response)
        if response.hasNoContent { return nil }
        return UnstartedXMLParser(document: try XMLResponse.prepare(response, limits: self.limits))
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// Returns a parser for the body that has not been started.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}

/// A well-formed XML document, ready to be parsed by a delegate.
///
/// Foundation's `XMLParser` is not `Sendable`. This value is, and creates a parser when needed.
public struct UnstartedXMLParser: Sendable, Hashable {
    /// The document in UTF-8, with spaces in place of its XML declaration.
    public let document: Data

    /// Creates a parser at the start of the document, with external entities off.
    ///
    /// - Returns: The parser; set its delegate and call `parse()`.
    public func makeParser() -> XMLParser { XMLParser.make(self.document) }
}
