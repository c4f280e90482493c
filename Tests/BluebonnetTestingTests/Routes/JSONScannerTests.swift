// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTesting

struct JSONScannerTests {
    @Test(arguments: [
        "null", " true ", "[]", "{}", "[1,-0,0.5,1e9,-1.5E-3]", #"{"a":[{"b":"\u00e9\n\"\\"}],"c":""}"#, "\"é🌸\"",
        "18446744073709551616",
    ])
    func `accepts documents`(text: String) {
        #expect(JSONScanner.accepts(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "nul", "tru e", "[1,]", "[,1]", "{\"a\"}", "{a:1}", "{\"a\":1,}", "01", "1.", ".5", "1e", "+1",
        "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "[",
        "]", "1 2", "'a'", "NaN", "\"abc",
    ])
    func `refuses everything else`(text: String) {
        #expect(!JSONScanner.accepts(Array(text.utf8)))
    }

    @Test func `refuses nesting that would exhaust the stack, and bytes that are not UTF-8`() {
        #expect(!JSONScanner.accepts(Array(repeating: UInt8(ascii: "["), count: 100_000)))
        #expect(!JSONScanner.accepts([0x22, 0xFF, 0x22]))
    }

    @Test func `a text survives being written and scanned`() {
        let text = JSONOutput.string("\u{0}\u{1F}\"\\/\r\n\té🌸\u{2028}").text
        #expect(JSONScanner.accepts(Array(text.utf8)))
        #expect(text == "\"\\u0000\\u001f\\\"\\\\/\\r\\n\\té🌸\u{2028}\"")
    }
}
