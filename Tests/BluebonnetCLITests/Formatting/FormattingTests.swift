// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

/// Every format of a body, however it is cut.
@Suite struct FormattingTests {
    /// A body and how it looks.
    struct Case: CustomTestStringConvertible, Sendable {
        var type: String
        var text: String
        var expected: String
        var options: [String] = []
        var isColoured = false

        var testDescription: String { "\(self.type) \(self.text.prefix(40))" }
    }

    static let cases = [
        Case(type: "application/xml", text: "<a/>", expected: "<a/>\n"),
        Case(
            type: "text/xml",
            text: "<?xml version=\"1.0\"?><!-- c --><a x='1'><b>t</b> <c><d/></c></a>",
            expected: "<?xml version=\"1.0\"?>\n<!-- c -->\n<a x='1'>\n  <b>t</b>\n  <c>\n    <d/>\n  </c>\n</a>\n"
        ),
        Case(
            type: "image/svg+xml; charset=utf-8",
            text: "<p>one <b>two</b> three</p>",
            expected: "<p>one <b>two</b> three</p>\n"
        ),
        Case(type: "text/xml", text: "<a> <![CDATA[ <x> ]]> </a>", expected: "<a> <![CDATA[ <x> ]]> </a>\n"),
        Case(type: "text/xml", text: "<a> </a>", expected: "<a> </a>\n"),
        Case(
            type: "text/xml",
            text: "<r><p xml:space=\"preserve\"> <b/>\n <c> <d/></c></p><e><f/></e></r>",
            expected:
                "<r>\n  <p xml:space=\"preserve\"> <b/>\n <c> <d/></c></p>\n  <e>\n    <f/>\n  </e>\n</r>\n"
        ),
        Case(
            type: "text/xml",
            text: "<r xml:space='preserve'> <e xml:space='default'> <f/></e> </r>",
            expected: "<r xml:space='preserve'> <e xml:space='default'>\n    <f/></e> </r>\n"
        ),
        Case(
            type: "application/json; charset=us-ascii",
            text: "{\"a\":1}",
            expected: "{\n    \"a\": 1\n}\n"
        ),
        Case(type: "text/plain; charset=iso-8859-1", text: "[1]", expected: "[\n    1\n]\n"),
        Case(
            type: "application/json; charset=windows-1252",
            text: "{\"b\":1,\"a\":2}",
            expected: "{\n    \"a\": 2,\n    \"b\": 1\n}\n",
            options: ["json.sort_keys:true"]
        ),
        Case(
            type: "text/xml",
            text: "<a>\n\n<b/></a>",
            expected: "<a>\n        <b/>\n</a>\n",
            options: ["xml.indent:8"]
        ),
        Case(type: "text/xml", text: "<a><b/></a>", expected: "<a><b/></a>\n", options: ["xml.format:false"]),
        Case(type: "text/xml", text: "<a x=\"1>2\"><b/>", expected: "<a x=\"1>2\">\n  <b/>\n"),
        Case(type: "text/xml", text: "</a></b><", expected: "</a>\n</b><\n"),
        Case(type: "text/html", text: "<p> a  <br> b </p>\n", expected: "<p> a  <br> b </p>\n"),
        Case(
            type: "text/html",
            text: "<p class=x>1 < 2</p>",
            expected:
                "<\u{1B}[1;34mp\u{1B}[0m \u{1B}[94mclass\u{1B}[0m=\u{1B}[94mx\u{1B}[0m>1 < 2</\u{1B}[1;34mp\u{1B}[0m>\n",
            isColoured: true
        ),
        Case(type: "text/xml", text: "<a>\u{1B}[2J</a>", expected: "<a>\\u{1b}[2J</a>\n"),
        Case(type: "text/event-stream", text: ": c\ndata: {\"a\": 1}\n\n", expected: ": c\ndata: {\"a\": 1}\n\n"),
        Case(
            type: "text/event-stream",
            text: "data: [1]\nid:7\n",
            expected: "\u{1B}[94mdata\u{1B}[0m: [\u{1B}[35m1\u{1B}[0m]\n\u{1B}[94mid\u{1B}[0m:7\n",
            isColoured: true
        ),
        Case(type: "application/x-ndjson", text: "{\"a\":1}\n[2]\n", expected: "{\n    \"a\": 1\n}\n[\n    2\n]\n"),
        Case(
            type: "application/json",
            text: "{\"b\":{\"d\":1,\"c\":[3,{\"f\":0,\"e\":1.10}]},\"a\":\"}\",\"a\":2}",
            expected:
                "{\n  \"a\": \"}\",\n  \"a\": 2,\n  \"b\": {\n    \"c\": [\n      3,\n      {\n        \"e\": 1.10,\n        \"f\": 0\n      }\n    ],\n    \"d\": 1\n  }\n}\n",
            options: ["json.sort_keys:true", "json.indent:2"]
        ),
        Case(
            type: "application/json",
            text: "{\"b\":1,",
            expected: "{\n    \"b\": 1,\n",
            options: ["json.sort_keys:true"]
        ),
        Case(type: "application/json", text: "{\"b\":1}", expected: "{\"b\":1}\n", options: ["json.format:false"]),
    ]

    private static func print(_ one: Case, _ lengths: [Int]) throws -> String {
        let sink = MemorySink()
        var style = OutputStyle(isColoured: one.isColoured, isFormatted: true, isEscaped: true)
        style.details = try FormatDetails(one.options, isSorted: false)
        var printer = BodyPrinter(sink: sink, style: style, mediaType: one.type)
        var rest = Array(one.text.utf8)[...]
        var index = 0
        while !rest.isEmpty {
            let piece = Array(rest.prefix(lengths[index % lengths.count]))
            _ = try piece.withUnsafeBytes { try printer.write($0) }
            rest = rest.dropFirst(piece.count)
            index += 1
        }
        try printer.finish()
        return sink.text
    }

    @Test(arguments: Self.cases) func `a body looks the same however it is cut`(_ one: Case) throws {
        #expect(try Self.print(one, [.max]) == one.expected)
        for size in 1...7 { #expect(try Self.print(one, [size]) == one.expected) }
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let lengths = (0..<5).map { _ in Int.random(in: 1...9, using: &numbers) }
            #expect(try Self.print(one, lengths) == one.expected, "\(lengths)")
        }
    }

    @Test func `random documents look the same however they are cut`() throws {
        let letters = Array("{}[]\",:0123tfn <>/=!-?'ab\né\\u".unicodeScalars)
        for round in 0..<300 {
            let scalars = (0..<40).compactMap { _ in letters.randomElement() }
            let text = String(String.UnicodeScalarView(scalars))
            for type in ["application/json", "text/plain", "text/xml", "text/html", "text/event-stream"] {
                let one = Case(type: type, text: text, expected: "", isColoured: round % 2 == 0)
                let whole = try Self.print(one, [.max])
                #expect(try Self.print(one, [1]) == whole, "\(type) \(text)")
                #expect(try Self.print(one, [3, 1, 2]) == whole, "\(type) \(text)")
            }
        }
    }
}
