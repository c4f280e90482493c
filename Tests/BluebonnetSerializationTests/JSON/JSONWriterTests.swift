// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct JSONWriterTests {
    static func text(_ value: JSONValue, pretty: Bool = false, sortedKeys: Bool = false) -> String {
        String(decoding: value.serialized(isPretty: pretty, sortsKeys: sortedKeys), as: UTF8.self)
    }

    @Test func `writes compactly, in the order of the members`() {
        let value: JSONValue = ["b": [1, 2.5, true, nil, "x"], "a": [:], "c": []]
        #expect(Self.text(value) == #"{"b":[1,2.5,true,null,"x"],"a":{},"c":[]}"#)
    }

    @Test func `writes prettily`() {
        let value: JSONValue = ["a": [1, ["b": 2]], "c": [:], "d": []]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": 2
                }
              ],
              "c": {},
              "d": []
            }
            """
        #expect(Self.text(value, pretty: true) == expected)
    }

    @Test func `sorts names by their bytes`() {
        let value: JSONValue = ["é": 1, "z": 2, "e": ["b": 1, "a": 2], "E": 3, "": 4, "😀": 5, "\u{FFFD}": 6]
        #expect(
            Self.text(value, sortedKeys: true) == #"{"":4,"E":3,"e":{"a":2,"b":1},"z":2,"é":1,"\#u{FFFD}":6,"😀":5}"#
        )
    }

    @Test func `escapes what the grammar asks for and nothing else`() {
        #expect(Self.text("a\"b\\c/d") == #""a\"b\\c/d""#)
        #expect(
            Self.text("\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{10}\u{1F}\u{7F}")
                == "\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u0010\\u001f\u{7F}\""
        )
        #expect(Self.text("日本😀\u{2028}") == "\"日本😀\u{2028}\"")
        #expect(Self.text(["a\"\n": 1]) == #"{"a\"\n":1}"#)
    }

    @Test func `every byte at every place in a word is scanned alike`() throws {
        for length in 0...24 {
            for place in 0..<length {
                for scalar in ["\"", "\\", "\u{1F}", "\u{0}", "!", "[", "]", "é", "\u{7F}", "\u{A2}", "\u{DC}"] {
                    let plain = String(repeating: "x", count: length)
                    let text = String(plain.prefix(place)) + scalar + String(plain.dropFirst(place))
                    let value = JSONValue.string(text)
                    let again = try JSONValue(parsing: value.serialized())
                    if again != value { Issue.record("\(text.debugDescription) came back as \(again)") }
                }
            }
        }
    }

    @Test(arguments: [
        0, 7, -7, 10, 99, 100, 101, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int64.max, Int64.min,
    ])
    func `writes integers`(_ value: Int64) {
        #expect(Self.text(JSONValue(value)) == String(value))
    }

    @Test func `an empty document is never written`() {
        #expect(Self.text(.string("")) == "\"\"")
        #expect(Self.text(.null) == "null")
    }
}
