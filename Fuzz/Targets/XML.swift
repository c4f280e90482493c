// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetXML
import Foundation
import FoundationXML
import HTTPTypes

/// Checks that any bytes are a well-formed document or an error, that Foundation's parser accepts the documents, and
/// that their tree is unchanged when it is encoded and parsed again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let body = Data(UnsafeBufferPointer(start: start, count: count))
    let response = Response(status: .ok, body: body)
    let limits = ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000)
    let serializer = XMLParserResponseSerializer(validation: .none, limits: limits)
    let tree = try? ParsedXML(parsing: body, limits: limits)
    if let tree {
        // References are longer than the characters they represent, and the encoded form is not limited.
        let again = try? ParsedXML(parsing: Data(tree.description.utf8))
        precondition(again == tree, "a tree that is read back as another")
    }
    guard let unstarted = try? serializer.serialize(response) else { return 0 }
    precondition(tree != nil || body.isEmpty, "a document that Foundation reads and the tree does not")
    let parser = unstarted.makeParser()
    let counter = ElementCounter()
    parser.delegate = counter
    precondition(parser.parse() && counter.count > 0, "a document without elements")
    return 0
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var count = 0

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        self.count += 1
    }
}
