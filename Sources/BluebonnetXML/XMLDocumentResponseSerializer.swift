// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
internal import Foundation
public import FoundationXML

/// Turns the XML of a reply into a document tree; nil means that there was nothing to parse.
///
/// On Linux Foundation's `XMLDocument` repairs what is not well-formed, loads external entities from files and from the
/// network, and stops the process for some bodies. Here the document is checked first and external entities are never
/// loaded, whatever ``options`` say.
///
/// On Linux Foundation never frees a tree that was parsed, which costs some 25 times the size of each document. A
/// program that reads many is better served by ``XMLParserResponseSerializer``.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
    /// Which replies are accepted.
    public var validation: ResponseValidation

    /// What a document may not exceed.
    public var limits: ParsingLimits

    /// Foundation's options for the tree; none unless set.
    public var options: XMLNode.Options

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: Which replies are accepted; the XML types with a status of 200 to 299 unless given.
    ///   - limits: What a document may not exceed.
    ///   - options: Foundation's options for the tree.
    public init(
        validation: ResponseValidation = ResponseValidation(
            contentTypes: XMLParserResponseSerializer.defaultContentTypes
        ),
        limits: ParsingLimits = ParsingLimits(),
        options: XMLNode.Options = []
    ) {
        self.validation = validation
        self.limits = limits
        self.options = options
    }

    public func serialize(_ response: Response) throws(SerializationError) -> ParsedXML? {
        try self.validation.validate(response)
        if response.hasNoContent { return nil }
        let data = try XMLReply.prepare(response, limits: self.limits)
        let loading: XMLNode.Options = [.nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly]
        let options = self.options.subtracting(loading).union(.nodeLoadExternalEntitiesNever)
        do {
            return ParsedXML(try XMLDocument(data: data, options: options))
        } catch {
            throw SerializationError(
                .malformedBody,
                reason: "Foundation cannot make a tree of the XML document.",
                underlying: error,
                response: response
            )
        }
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// The body as a document tree.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}
