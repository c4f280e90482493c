// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct ParameterValueTests {
    @Test func `literals of every kind`() {
        let name = "Ada"
        let value: ParameterValue = ["a": nil, "b": true, "c": 1, "d": 1.5, "e": "x \(name)", "f": [1, "2"], "g": [:]]
        #expect(
            value
                == .dictionary([
                    "a": .null, "b": .bool(true), "c": .int(1), "d": .double(1.5), "e": .string("x Ada"),
                    "f": .array([.int(1), .string("2")]), "g": .dictionary([:]),
                ])
        )
    }

    @Test func `of a key that is given twice the last value stays`() {
        #expect(["a": 1, "a": 2] as ParameterValue == ["a": 2])
    }

    @Test func `accessors give what is there and nil for what is not`() {
        let value: ParameterValue = ["n": 1, "s": "x", "l": [true, 2.5], "u": .unsigned(.max)]
        #expect(value["n"]?.int == 1)
        #expect(value["n"]?.double == 1)
        #expect(value["s"]?.string == "x")
        #expect(value["s"]?.int == nil)
        #expect(value["l"]?[0]?.bool == true)
        #expect(value["l"]?[1]?.double == 2.5)
        #expect(value["l"]?[2] == nil)
        #expect(value["l"]?[-1] == nil)
        #expect(value["u"]?.int == nil)
        #expect(value["missing"] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(ParameterValue.double(.nan).int == nil)
        #expect(ParameterValue.double(1e300).int == nil)
        #expect(ParameterValue.null.isNull)
    }

    @Test func `setting by key adds, replaces, removes`() {
        var value: ParameterValue = ["a": 1]
        value["b"] = [2]
        value["a"] = nil
        #expect(value == ["b": [2]])
        var text: ParameterValue = "x"
        text["k"] = 1
        #expect(text == ["k": 1])
    }

    @Test(.bug(id: "F429")) func `integers of every width keep every digit`() {
        #expect(ParameterValue(UInt8.max) == .int(255))
        #expect(ParameterValue(UInt64.max) == .unsigned(.max))
        #expect(ParameterValue(UInt64(5)) == .int(5))
        #expect(ParameterValue(Int128.max) == .number(JSONNumber(Int128.max)))
        #expect(ParameterValue(Int128(Int64.min) - 1) == .number(JSONNumber(Int128(Int64.min) - 1)))
    }

    @Test func `JSON goes in and comes out`() throws {
        let text = #"{"a":[1,-2.5,true,null,"x"],"b":{"c":18446744073709551615},"d":1e300}"#
        let value = try ParameterValue(JSONValue(parsing: text))
        #expect(value["b"]?["c"] == .unsigned(.max))
        #expect(try JSONValue(value) == JSONValue(parsing: text))
    }

    @Test(arguments: ["1e400", "123456789012345678901234567890", "12345678901234567890.123456789"])
    func `a JSON number that no type holds keeps its digits`(_ text: String) throws {
        let number = try JSONValue(parsing: text)
        let value = try ParameterValue(number)
        #expect(try JSONValue(value) == number)
        guard case .number(let kept) = value else { return #expect(Bool(false), "not a number") }
        #expect(kept.text == text)
    }

    @Test func `a JSON number that a type holds becomes a number of that type`() throws {
        #expect(try ParameterValue(JSONValue(parsing: "0.1")) == 0.1)
    }

    @Test(
        .bug(id: "F230"),
        arguments: [
            (#"{"\u00e9":1,"e\u0301":2}"#, ["e\u{301}"]),
            (#"{"a":[0,{"\u00e9":1,"e\u0301":{}}]}"#, ["a", "1", "e\u{301}"]),
        ] as [(String, [String])]
    )
    func `a JSON object with two names that are one key is refused, with its path`(
        _ text: String,
        _ path: [String]
    ) throws {
        let document = try JSONValue(parsing: text)
        let error = #expect(throws: SerializationError.self) { try ParameterValue(document) }
        #expect(error?.code == .invalidParameters)
        #expect(error?.codingPath == path)
        let nested = #expect(throws: SerializationError.self) { try ParameterValue(encoding: ["k": [document]]) }
        #expect(nested?.code == .invalidParameters)
        #expect(nested?.codingPath == ["k", "0"] + path)
    }

    @Test(.bug(id: "F231")) func `a large JSON number in scientific notation is the integer of its text`() throws {
        #expect(try ParameterValue(JSONValue(parsing: "123456789012345e4")) == .int(1_234_567_890_123_450_000))
        #expect(try ParameterValue(JSONValue(parsing: "1e19")) == .unsigned(10_000_000_000_000_000_000))
        #expect(try ParameterValue(JSONValue(parsing: "1e300")) == 1e300)
    }

    @Test(
        .bug(id: "F764"),
        arguments: ["100000000000000000000", "-123456789012345680000", "18446744073709551616"]
    )
    func `a JSON integer beyond 64 bits stays an integer`(_ text: String) throws {
        let value = try ParameterValue(JSONValue(parsing: text))
        #expect(JSONWriter().write(try JSONValue(value)) == Data(text.utf8))
        #expect(try QueryStringStyle.default.encode(["n": value], for: Request(parsing: "http://h/")) == "n=\(text)")
    }

    @Test(.bug(id: "F657"), arguments: ["text", 1, [1], nil] as [ParameterValue])
    func `nil for a key changes nothing but a dictionary`(_ value: ParameterValue) {
        var parameters: ParameterValue = ["a": value]
        parameters["a"]?["b"] = nil
        #expect(parameters == ["a": value])
        parameters["a"]?["b"] = 1
        #expect(parameters == ["a": ["b": 1]])
        parameters["a"]?["b"] = nil
        #expect(parameters == ["a": [:]])
    }
}
