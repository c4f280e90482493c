// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct JSONFormatterTests {
    /// Formats a document that arrives in pieces; nil if it is not JSON.
    private func format(
        _ text: String,
        isColoured: Bool = false,
        isIndented: Bool = true,
        pieceSize: Int = .max
    ) throws(JSONFormatter.Fault) -> String {
        var formatter = JSONFormatter(palette: Palette(isEnabled: isColoured), isIndented: isIndented)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceSize))
            rest = rest.dropFirst(pieceSize)
            try piece.withUnsafeBufferPointer { (bytes) throws(JSONFormatter.Fault) in
                var position = 0
                try formatter.write(UnsafeRawBufferPointer(bytes), position: &position)
            }
        }
        formatter.finish()
        return String(decoding: formatter.output, as: UTF8.self)
    }

    static let documents: [(String, String)] = [
        ("{}", "{}"), ("[]", "[]"), ("[ ]", "[]"), ("null", "null"), (" 1.10 ", "1.10"), ("\u{FEFF}[]", "[]"),
        (#"{"b":1,"a":[1,2]}"#, "{\n    \"b\": 1,\n    \"a\": [\n        1,\n        2\n    ]\n}"),
        (#"{"a":{},"b":[{}]}"#, "{\n    \"a\": {},\n    \"b\": [\n        {}\n    ]\n}"),
        (#"{"a":1,"a":2}"#, "{\n    \"a\": 1,\n    \"a\": 2\n}"),
        ("[12345678901234567890123,1e400]", "[\n    12345678901234567890123,\n    1e400\n]"),
        ("[-0.5E-3,0,true]", "[\n    -0.5E-3,\n    0,\n    true\n]"),
        (#"["\u00e9\ud83c\udf38"]"#, "[\n    \"é🌸\"\n]"), (#"["\u0022\u005C\/"]"#, "[\n    \"\\\"\\\\/\"\n]"),
        (
            #"["\ud83c","\ud83cx","\ud83c\n","\ud83c\u0041"]"#,
            "[\n    \"\\ud83c\",\n    \"\\ud83cx\",\n    \"\\ud83c\\n\",\n    \"\\ud83c\\u0041\"\n]"
        ),
        (#"["a\"b\\","]"]"#, "[\n    \"a\\\"b\\\\\",\n    \"]\"\n]"),
        (#"["\u001b[31m"]"#, "[\n    \"\\u001b[31m\"\n]"), ("[\"\u{9B}2J\"]", "[\n    \"\\u009b2J\"\n]"),
        ("[\"\u{7F}\u{202E}\"]", "[\n    \"\\u007f\\u202e\"\n]"),
        ("{\"a\":1}\n[2]\n", "{\n    \"a\": 1\n}\n[\n    2\n]"),
    ]

    @Test(arguments: Self.documents)
    func `a document is indented and nothing in it moves`(_ text: String, _ expected: String) throws {
        for pieceSize in [1, 2, 3, 5, 1000] {
            #expect(try self.format(text, pieceSize: pieceSize) == expected)
        }
    }

    @Test(arguments: [
        "{]", "[1,]", "[,1]", "{\"a\" 1}", "{\"a\":}", "{,}", "{\"a\":1,}", "{1:2}", "hello", "nulL", "{'a':1}", "01",
        "-",
        "1.", "1e", "[1 2]", "[\"\n\"]", "[\"\\x\"]", "[\"\\u12g4\"]", "]", ":", ",", "[1}", "{\"a\":1]",
    ])
    func `what is not JSON is refused`(_ text: String) {
        #expect(throws: JSONFormatter.Fault.syntax) { try self.format(text + " ") }
        #expect(throws: JSONFormatter.Fault.syntax) { try self.format(text + " ", pieceSize: 1) }
    }

    @Test func `colours keys, strings, numbers and words, and moves nothing`() throws {
        let text = try self.format(#"{"k": ["s", -1,true]}"#, isColoured: true, isIndented: false)
        let expected =
            "{\u{1B}[1;34m\"k\"\u{1B}[0m: [\u{1B}[33m\"s\"\u{1B}[0m, \u{1B}[35m-1\u{1B}[0m,\u{1B}[1;36mtrue\u{1B}[0m]}"
        #expect(text == expected)
    }

    @Test(.bug(id: "F4")) func `indentation ends at 80 columns and formatting at 512 levels`() throws {
        let depth = JSONFormatter.largestDepth
        let text = String(repeating: "[", count: depth) + "0" + String(repeating: "]", count: depth)
        let lines = try self.format(text).split(separator: "\n")
        #expect(lines.count == 2 * depth + 1)
        #expect(lines.map { $0.prefix { $0 == " " }.count }.max() == 80)
        #expect(throws: JSONFormatter.Fault.depth) { try self.format("[" + text + "]") }
    }
}
