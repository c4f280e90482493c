// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetXML
import Foundation
import FoundationXML
import HTTPTypes

/// Any bytes are a well-formed document or an error, and Foundation's parser has no objection to those that are.
///
/// There are no trees here: Foundation never frees one, and the fuzzer would run out of memory.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let body = Data(UnsafeBufferPointer(start: start, count: count))
    let response = Response(status: .ok, body: body)
    let limits = ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000)
    let serializer = XMLParserResponseSerializer(validation: .none, limits: limits)
    guard let unstarted = try? serializer.serialize(response) else { return 0 }
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
