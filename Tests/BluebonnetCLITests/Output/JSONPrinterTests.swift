// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct JSONPrinterTests {
    private func plain(_ text: String) -> String? {
        JSONPrinter(palette: Palette(isEnabled: false), isIndented: true).text(of: Array(text.utf8))
    }

    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), ("[ ]", "[]"), ("null", "null"), (" 1.10 ", "1.10"),
        (#"{"b":1,"a":[1,2]}"#, "{\n    \"b\": 1,\n    \"a\": [\n        1,\n        2\n    ]\n}"),
        (#"{"a":{},"b":[{}]}"#, "{\n    \"a\": {},\n    \"b\": [\n        {}\n    ]\n}"),
        (#"{"a":1,"a":2}"#, "{\n    \"a\": 1,\n    \"a\": 2\n}"),
        ("[12345678901234567890123,1e400]", "[\n    12345678901234567890123,\n    1e400\n]"),
        (#"["\u00e9\ud83c\udf38"]"#, "[\n    \"é🌸\"\n]"),
        (#"["a\"b\\","]"]"#, "[\n    \"a\\\"b\\\\\",\n    \"]\"\n]"),
        (#"["\u001b[31m"]"#, "[\n    \"\\u001b[31m\"\n]"), ("[\"\u{9B}2J\"]", "[\n    \"\\u009b2J\"\n]"),
    ])
    func `indents, in the order it came`(_ text: String, _ expected: String) {
        #expect(self.plain(text) == expected)
    }

    @Test(arguments: ["", "{", "[1,]", "{\"a\" 1}", "hello", "[1] [2]", "{'a':1}", "01", "[\"\n\"]"])
    func `leaves alone what is not JSON`(_ text: String) {
        #expect(self.plain(text) == nil)
    }

    @Test func `colours keys, strings, numbers and words, and moves nothing`() {
        let printer = JSONPrinter(palette: Palette(isEnabled: true), isIndented: false)
        let text = printer.text(of: Array(#"{"k": ["s", -1,true]}"#.utf8))
        let expected =
            "{\u{1B}[1;34m\"k\"\u{1B}[0m: [\u{1B}[33m\"s\"\u{1B}[0m, \u{1B}[35m-1\u{1B}[0m,\u{1B}[1;36mtrue\u{1B}[0m]}"
        #expect(text == expected)
    }
}
