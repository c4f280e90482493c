// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetXML
import Foundation
import FoundationXML
import TestSupport
import Testing

/// Foundation's parser takes linear time for every document that passes the check before it.
@Suite(.serialized) struct XMLScalingTests {
    struct Document: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (_ count: Int) -> String
    }

    private static let attributes = (0..<256).map { " a\($0)=''" }.joined()
    private static let declarations = (0..<256).map { " xmlns:p\($0)='u\($0)'" }.joined()

    private static func text(_ start: String, _ piece: String, _ count: Int, _ end: String) -> String {
        start + String(repeating: piece, count: count) + end
    }

    static let documents: [Document] = [
        Document(testDescription: "elements") { Self.text("<a>", "<b>x</b>", $0, "</a>") },
        Document(testDescription: "references") { Self.text("<a>", "&#x1F600;&amp;", $0, "</a>") },
        Document(testDescription: "references in an attribute") { Self.text("<a b='", "&#x41;&amp;", $0, "'/>") },
        Document(testDescription: "CDATA sections") { Self.text("<a>", "<![CDATA[x]]>y", $0, "</a>") },
        Document(testDescription: "comments and instructions") {
            Self.text("<a>", "<!-- - --><?b c?><?d?>", $0, "</a>")
        },
        Document(testDescription: "one long text") { Self.text("<a>", "xxxxxxxx", $0, "</a>") },
        Document(testDescription: "elements with as many attributes as are allowed") {
            Self.text("<a>", "<b\(Self.attributes)/>", max($0 / 100, 1), "</a>")
        },
        Document(testDescription: "prefixes among as many declarations as are allowed") {
            Self.text("<a\(Self.declarations)>", "<p0:b p255:c=''/>", $0 / 4, "</a>")
        },
        Document(testDescription: "one declaration for each element") {
            Self.text("<a>", "<b xmlns:p='u' p:c=''/>", $0, "</a>")
        },
    ]

    @Test(arguments: Self.documents) func `1.2.4 the time of the check and of the parser grows linearly`(
        _ document: Document
    ) throws {
        let seconds = try Scaling.seconds { factor in
            let response = XMLResponseSerializerTests.response(document.make(800 * factor))
            return { _ = try XMLParserResponseSerializer().serialize(response)?.makeParser().parse() }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }

    @Test(arguments: [" a", " xmlns:a"])
    func `1.2.4 a tag with more attributes than are allowed is refused before Foundation sees it`(_ name: String) {
        let attributes = (0..<100_000).map { "\(name)\($0)='u'" }.joined()
        let error = #expect(throws: SerializationError.self) {
            try XMLParserResponseSerializer().serialize(XMLResponseSerializerTests.response("<a\(attributes)/>"))
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.response != nil)
    }
}
