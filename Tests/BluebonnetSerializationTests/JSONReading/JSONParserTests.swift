// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct JSONParserTests {
    struct Broken: CustomTestStringConvertible, Sendable {
        var testDescription: String { self.text.debugDescription }
        var text: String
        var line: Int
        var column: Int
        var byteOffset: Int
    }

    static let broken: [Broken] = [
        Broken(text: "", line: 1, column: 1, byteOffset: 0),
        Broken(text: "[1,]", line: 1, column: 4, byteOffset: 3),
        Broken(text: "{\"a\":1,}", line: 1, column: 8, byteOffset: 7),
        Broken(text: "[\n  1,\n  x\n]", line: 3, column: 3, byteOffset: 9),
        Broken(text: "[\r\n1,\rx]", line: 3, column: 1, byteOffset: 6),
        Broken(text: "[\"日本\" 1]", line: 1, column: 7, byteOffset: 10),
        Broken(text: "[1] 2", line: 1, column: 5, byteOffset: 4),
        Broken(text: "\"a\u{1}b\"", line: 1, column: 3, byteOffset: 2),
        Broken(text: "\"\\ud800\"", line: 1, column: 2, byteOffset: 1),
        Broken(text: "{\"a\" 1}", line: 1, column: 6, byteOffset: 5),
        Broken(text: "{1:2}", line: 1, column: 2, byteOffset: 1),
        Broken(text: "tru", line: 1, column: 4, byteOffset: 3),
        Broken(text: "-", line: 1, column: 2, byteOffset: 1),
        Broken(text: "[01]", line: 1, column: 3, byteOffset: 2),
        Broken(text: "[1.e5]", line: 1, column: 4, byteOffset: 3),
    ]

    @Test(arguments: Self.broken) func `says where a document is broken`(_ example: Broken) {
        let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: example.text) }
        #expect(error?.code == .malformedBody)
        let place = error?.underlying as? JSONSyntaxError
        #expect(place?.line == example.line)
        #expect(place?.column == example.column)
        #expect(place?.byteOffset == example.byteOffset)
        #expect(error?.reason.contains("line \(example.line), column \(example.column)") == true)
    }

    @Test func `the first byte that is not UTF-8 is the place`() {
        let data = Data([0x5B, 0x22, 0x61, 0xC3, 0xA9, 0xFF, 0x22, 0x5D])
        let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: data) }
        #expect((error?.underlying as? JSONSyntaxError)?.byteOffset == 5)
    }

    @Test(arguments: ["utf-8", "utf-16be", "utf-16le", "utf-32be", "utf-32le"], [true, false])
    func `recognises Unicode encodings`(_ name: String, hasMark: Bool) throws {
        let text = "{\"日本\":\"😀é\"}"
        let data = Self.encode((hasMark ? "\u{FEFF}" : "") + text, as: name)
        #expect(try JSONValue(parsing: data) == ["日本": "😀é"])
    }

    @Test func `positions count the bytes of the original encoding`() {
        let data = Self.encode("\u{FEFF}[\"😀\",\nx]", as: "utf-16le")
        let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: data) }
        let place = error?.underlying as? JSONSyntaxError
        #expect(place?.line == 2)
        #expect(place?.column == 1)
        // The mark, bracket, quote, two units of the pair, quote, comma, line feed: two bytes each.
        #expect(place?.byteOffset == 16)
    }

    static func encode(_ text: String, as name: String) -> Data {
        var data = Data()
        for unit in text.utf16 where name.hasPrefix("utf-16") {
            withUnsafeBytes(of: name.hasSuffix("be") ? unit.bigEndian : unit.littleEndian) {
                data.append(contentsOf: $0)
            }
        }
        for scalar in text.unicodeScalars where name.hasPrefix("utf-32") {
            withUnsafeBytes(of: name.hasSuffix("be") ? scalar.value.bigEndian : scalar.value.littleEndian) {
                data.append(contentsOf: $0)
            }
        }
        return name == "utf-8" ? Data(text.utf8) : data
    }

    @Test(arguments: [1, 2, 15, 16, 17, 18, 500]) func `the last of equal names wins in the place of the first`(
        _ count: Int
    ) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" } + ["\"k0\":\"last\"", "\"\\u006b0\":\"really last\""]
        let value = try JSONValue(parsing: "{\(members.joined(separator: ","))}")
        #expect(value.object?.count == count)
        #expect(value.object?.first?.key == "k0")
        #expect(value["k0"] == "really last")
        #expect(value["k\(count - 1)"] == (count == 1 ? "really last" : JSONValue(count - 1)))
    }

    @Test func `an escaped name equals the same name in plain text, whichever comes first`() throws {
        #expect(try JSONValue(parsing: #"{"\u0061":1,"a":2}"#).description == #"{"a":2}"#)
        #expect(try JSONValue(parsing: #"{"b":0,"a":1,"\u0061":2}"#).description == #"{"b":0,"a":2}"#)
    }

    @Test func `names are bytes, not equivalent texts`() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.object?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func `depth is limited, and the deepest allowed document is read and written`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try JSONValue(parsing: nested(128)).description == nested(128))
        let error = #expect(throws: SerializationError.self) { try JSONValue(parsing: nested(129)) }
        #expect(error?.code == .limitExceeded)
        #expect(throws: SerializationError.self) {
            try JSONValue(parsing: nested(100_000), limits: ParsingLimits(depth: .max))
        }
        let deepest = try JSONValue(parsing: nested(1_024), limits: ParsingLimits(depth: .max))
        #expect(deepest == deepest)
        #expect(deepest.description.utf8.count == 2_048)
    }

    @Test func `the number of values and bytes is limited`() throws {
        let limits = ParsingLimits(byteCount: 20, elementCount: 4)
        #expect(try JSONValue(parsing: "[1,2,3]", limits: limits).array?.count == 3)
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try JSONValue(parsing: "[1,2,3,4]", limits: limits)
        }
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try JSONValue(parsing: "[\"123456789012345678\"]", limits: limits)
        }
    }

    @Test func `many names that collide in a simple hash take no quadratic time`() throws {
        let members = (0..<200_000).map { "\"\($0)aaaaaaaa\":0" }.joined(separator: ",")
        let start = ContinuousClock.now
        let value = try JSONValue(parsing: "{\(members)}")
        #expect(value.object?.count == 200_000)
        #expect(value["199999aaaaaaaa"] == 0)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a document cut anywhere is an error, never a crash`() throws {
        let text = #"{"a":[1,-2.5e+10,"x\u00e9\ud83d\ude00\n",true,false,null,{}],"日本":{"b":[]}}"#
        #expect(throws: Never.self) { try JSONValue(parsing: text) }
        let bytes = Array(text.utf8)
        for count in bytes.indices {
            #expect(throws: SerializationError.self) { try JSONValue(parsing: Data(bytes[..<count])) }
        }
    }

    @Test func `a slice of data is read from its own start`() throws {
        let data = Data("xx[1]yy".utf8)
        #expect(try JSONValue(parsing: data[2..<5]) == [1])
    }
}
