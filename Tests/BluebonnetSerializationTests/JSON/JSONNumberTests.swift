// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct JSONNumberTests {
    @Test(
        arguments: [
            "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "18446744073709551615",
            "12345678901234567890123", "0.30000000000000004", "0.1", "-0.0", "1e400", "-1E-400",
            "1.7976931348623157e308",
            "3.141592653589793238462643383279502884197", "123456789012345678", "100000000000000000000", "5e-324",
            "1e-9999999999",
            "1e99999999999999999999", "0.000000000000000000000000000001", "2.5",
        ]
    )
    func `keeps the exact text`(_ text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.description.lowercased() == text.lowercased())
        #expect(try JSONValue(parsing: value.serialized()) == value)
    }

    struct Spelling: Sendable, CustomTestStringConvertible {
        var testDescription: String { self.text }
        var text: String
        var written: String
    }

    static let spellings: [Spelling] = [
        Spelling(text: "1.0", written: "1.0"), Spelling(text: "1.50", written: "1.5"),
        Spelling(text: "1E2", written: "100.0"),
        Spelling(text: "-0", written: "-0.0"), Spelling(text: "1e+2", written: "100.0"),
        Spelling(text: "1e-2", written: "0.01"),
        Spelling(text: "123456789012345e22", written: "1.23456789012345e+36"),
        Spelling(text: "1e022", written: "1e+22"),
    ]

    @Test(arguments: Self.spellings) func `other spellings keep their value`(_ example: Spelling) throws {
        let value = try JSONValue(parsing: example.text)
        #expect(value.description == example.written)
        #expect(try JSONValue(parsing: example.written) == value)
    }

    @Test func `numbers of the same decimal value are equal and hash alike`() throws {
        let spellings = try ["1", "1.0", "10e-1", "0.1e1", "1.00000000000000000000", "100000000000000000000e-20"].map {
            try JSONValue(parsing: $0)
        }
        #expect(Set(spellings).count == 1)
        #expect(try JSONValue(parsing: "0.1") != JSONValue(parsing: "0.1000000000000000055511151231257827"))
        #expect(try JSONValue(parsing: "-0") == JSONValue(parsing: "0e5"))
        #expect(try JSONValue(parsing: "12345678901234567890123") != JSONValue(parsing: "12345678901234567890124"))
        #expect(JSONValue(0.1 + 0.2) == (try JSONValue(parsing: "0.30000000000000004")))
    }

    @Test func `integers and doubles only where they fit`() throws {
        #expect(try JSONValue(parsing: "9223372036854775808").int == nil)
        #expect(try JSONValue(parsing: "9223372036854775808").number?.uint64 == 1 << 63)
        #expect(try JSONValue(parsing: "-9223372036854775808").int == .min)
        #expect(try JSONValue(parsing: "-922337203685477580.8e1").int == .min)
        #expect(try JSONValue(parsing: "1e3").int == 1000)
        #expect(try JSONValue(parsing: "1.0000000000000000000000").int == 1)
        #expect(try JSONValue(parsing: "1.5").int == nil)
        #expect(try JSONValue(parsing: "1e400").double == nil)
        #expect(try JSONValue(parsing: "1e400").int == nil)
        #expect(try JSONValue(parsing: "0.30000000000000004").double == 0.1 + 0.2)
        #expect(try JSONValue(parsing: "-1").number?.uint64 == nil)
        #expect(try JSONValue(parsing: "1e-400").double == 0)
    }

    struct Whole: Sendable, CustomTestStringConvertible {
        var testDescription: String { self.text }
        var text: String
        var int64: Int64?
        var uint64: UInt64?
    }

    static let wholes: [Whole] = [
        Whole(text: "123456789012345e4", int64: 1_234_567_890_123_450_000, uint64: 1_234_567_890_123_450_000),
        Whole(text: "-123456789012345e4", int64: -1_234_567_890_123_450_000, uint64: nil),
        Whole(text: "900719925474099e1", int64: 9_007_199_254_740_990, uint64: 9_007_199_254_740_990),
        Whole(text: "900719925474100e1", int64: 9_007_199_254_741_000, uint64: 9_007_199_254_741_000),
        Whole(text: "922337203685477e4", int64: 9_223_372_036_854_770_000, uint64: 9_223_372_036_854_770_000),
        Whole(text: "922337203685478e4", int64: nil, uint64: 9_223_372_036_854_780_000),
        Whole(text: "184467440737095e5", int64: nil, uint64: 18_446_744_073_709_500_000),
        Whole(text: "1e20", int64: nil, uint64: nil), Whole(text: "-1e19", int64: nil, uint64: nil),
    ]

    @Test(.bug(id: "F231"), arguments: Self.wholes)
    func `a large integer in scientific notation has the value of its text`(_ example: Whole) throws {
        let number = try #require(JSONNumber(exactly: example.text))
        #expect(number.int64 == example.int64)
        #expect(number.uint64 == example.uint64)
        if let whole = example.uint64 { #expect(JSONNumber(whole) == number) }
        if let whole = example.int64 {
            let document = try JSONEncoder().encode([JSONValue.number(number)])
            #expect(String(decoding: document, as: UTF8.self) == "[\(whole)]")
        }
    }

    @Test(.bug(id: "F231"), arguments: [0x1p53, -0x1p60, 0x1p62, 1e18, 4_503_599_627_370_497, 1e300])
    func `the integer of a number from a Double is that of its text`(_ value: Double) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.int64 == JSONNumber(exactly: number.text)?.int64)
        if let whole = number.int64 { #expect(JSONNumber(whole) == number) }
    }

    @Test(arguments: ["0.1", "123.456", "-7.25", "1e22", "9.5e-22", "123456789012345", "0.000001", "8.41"])
    func `gives the nearest Double`(_ text: String) throws {
        #expect(try JSONValue(parsing: text).double == Double(text))
    }

    @Test func `what JSON cannot express has no number`() {
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(exactly: "01") == nil)
        #expect(JSONNumber(exactly: " 1") == nil)
        #expect(JSONNumber(exactly: "\"1\"") == nil)
        #expect(JSONNumber(exactly: "1e400")?.text == "1e400")
    }
}
