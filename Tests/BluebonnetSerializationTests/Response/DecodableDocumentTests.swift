// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetSerialization

/// What of a document counts for every type: names that occur twice, limits, and what only some decoders read.
@Suite struct DecodableDocumentTests {
    /// Objects with two members, and the value of the name that counts.
    private static let repetitions: [(members: String, name: String)] = [
        (#""role":"user","role":"admin""#, "role"), (#""role":"user","\u0072ole":"admin""#, "role"),
        (#""\u0072\u006f\u006ce":"user","role":"admin""#, "role"), (#""größe":"user","größe":"admin""#, "größe"),
        (#""a name of many bytes":"user","a name of many bytes":"admin""#, "a name of many bytes"),
        (#""":"user","":"admin""#, ""), (#""12345678":{"x":[]},"12345678":"admin""#, "12345678"),
        (
            #""role":"user","# + (0..<100).map { #""n\#($0)":"","# }.joined() + #""role":"admin""#, "role"
        ),
    ]

    @Test(.bug(id: "F332"), arguments: Self.repetitions, [String.Encoding.utf8, .utf16LittleEndian])
    func `of a repeated name the last value counts, for every type and decoder`(
        _ repetition: (members: String, name: String),
        _ encoding: String.Encoding
    ) throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Role: Decodable, Sendable {
            var value: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let name = try #require(decoder.userInfo[try .name] as? String)
                self.value = try container.decode(String.self, forKey: Key(stringValue: name))
            }
        }
        let (members, name) = repetition
        func response(_ text: String) throws -> Response {
            var response = Response.stub(text)
            response.body = try #require(text.data(using: encoding))
            return response
        }
        let object = try response("{\(members)}")
        let array = try response("[0.5,{\(members)},{\"a\":{\(members)}}]")
        #expect(try JSONResponseSerializer().serialize(object)?[name] == "admin")
        #expect(try DecodableResponseSerializer(JSONValue.self).serialize(object)[name] == "admin")
        let elements = try DecodableResponseSerializer([JSONValue].self).serialize(array)
        #expect(elements[1][name] == "admin" && elements[2]["a"]?[name] == "admin")
        #expect(try DecodableResponseSerializer([String: JSONValue].self).serialize(object)[name] == "admin")
        var decoder = ResponseDecoder()
        decoder.userInfo[try .name] = name
        #expect(try DecodableResponseSerializer(Role.self, decoder: decoder).serialize(object).value == "admin")
        #expect(try decoder.decode(Role.self, from: object.body).value == "admin")
        let foundation = JSONDecoder()
        foundation.userInfo[try .name] = name
        #expect(try DecodableResponseSerializer(Role.self, decoder: foundation).serialize(object).value == "admin")
    }

    @Test(
        .bug(id: "F332"),
        arguments: [
            // Equal names in different objects, names as values, and text that only looks like a name.
            #"[{"a":{"a":1},"b":{"a":2}},{"a":3}]"#, #"{"a":"a","b":["a","a"],"c":"\"a\":"}"#, #"{"":1,"\u0000":2}"#,
            "{\"K\":1,\"k\":2}", "{\"é\":1,\"è\":2}", "[]", "{}", "1", #""a":"#,
        ]
    )
    func `a document without a repeated name is decoded from its own bytes`(_ text: String) throws {
        let body = Data(text.utf8)
        #expect(try DecodableDocument.make(of: body, limits: ParsingLimits()) == body)
    }

    @Test(
        .bug(id: "F332"),
        arguments: [
            // The Kelvin sign is canonically equivalent to a letter in ASCII.
            "{\"\u{212A}\":1,\"K\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}",
            "{\"a\":{\"\u{1E9B}\u{323}\":1,\"\u{17F}\u{323}\u{307}\":2}}",
        ]
    )
    func `names of one object that are canonically equivalent are refused`(_ text: String) throws {
        let error = #expect(throws: SerializationError.self) {
            try DecodableDocument.make(of: Data(text.utf8), limits: ParsingLimits())
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath.isEmpty == false)
    }

    @Test(
        .bug(id: "F332"),
        .timeLimit(.minutes(1)),
        arguments: [
            String(repeating: ":", count: 1_000_000),
            "{\"" + String(repeating: "a", count: 500_000) + "\"" + String(repeating: ":", count: 500_000),
            String(repeating: "}", count: 1_000_000), "{" + String(repeating: "\"\":", count: 300_000) + "}",
            "{" + String(repeating: "\"\\ud800\":1,", count: 100_000) + "}", "{\"a\":", "{\"a", "{\"a\\",
        ]
    )
    func `a malformed document takes linear time`(_ text: String) {
        #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([String: Int].self).serialize(.stub(text))
        }
    }

    @Test(
        .bug(id: "F374"),
        arguments: [
            #"{a: "x", b: "x", "c": 'x', d: 'x'}"#, "{'a': 'x', 'b': \"x\", c: 'x', d: 'x', }",
            "{a: 'x', // \"[\n b: 'x', /* \"{ **/ c: 'x', d: 'x'}",
        ],
        [String.Encoding.utf8, .utf16LittleEndian]
    )
    func `a document in JSON5 is left to a decoder that reads it`(_ text: String, _ encoding: String.Encoding) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var response = Response.stub(text)
        response.body = try #require(text.data(using: encoding))
        let expected = ["a": "x", "b": "x", "c": "x", "d": "x"]
        #expect(
            try DecodableResponseSerializer([String: String].self, decoder: decoder).serialize(response) == expected
        )
        #expect(try DecodableResponseSerializer(JSONValue.self, decoder: decoder).serialize(response)["d"] == "x")
        #expect(throws: SerializationError(.malformedBody, reason: "")) {
            try DecodableResponseSerializer([String: String].self, decoder: JSONDecoder()).serialize(response)
        }
    }

    @Test(
        .bug(id: "F374"),
        arguments: [
            // What is behind a comment or a string with a lone quotation mark is counted.
            "[[[[// \"\n[[[[1]]]]]]]]", "[/* \" */[[[[[[[1]]]]]]]]", "['\"',[[[[[[[1]]]]]]]]",
            "[1,2,3,4,5,6,7,8,9,'10',11,]",
        ]
    )
    func `the limits hold for a document in JSON5`(_ text: String) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var serializer = DecodableResponseSerializer([JSONValue].self, decoder: decoder)
        serializer.limits.depth = 7
        serializer.limits.elementCount = 11
        #expect(throws: SerializationError(.limitExceeded, reason: "")) { try serializer.serialize(.stub(text)) }
    }

    @Test(.bug(id: "F374")) func `brackets in comments and in strings of JSON5 do not count`() throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var serializer = DecodableResponseSerializer([String].self, decoder: decoder)
        serializer.limits.depth = 2
        let text = "[/*[[[[*/ '[[[[', '\\'[[[', // [[[[\n \"[[[['\"]"
        #expect(try serializer.serialize(.stub(text)) == ["[[[[", "'[[[", "[[[['"])
    }

    @Test(arguments: [600, 100_000]) func `nesting beyond what the decoder bears is an error, not a crash`(_ depth: Int)
    {
        struct Tree: Decodable, Sendable {
            var list: [Tree]

            init(from decoder: any Decoder) throws {
                self.list = try decoder.singleValueContainer().decode([Tree].self)
            }
        }
        let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(throws: SerializationError.self) { try DecodableResponseSerializer(Tree.self).serialize(.stub(json)) }
        let xml = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Tree.self, decoder: PropertyListDecoder(), validation: .none)
                .serialize(.stub("<plist>\(xml)</plist>"))
        }
    }

    struct Limited: Sendable, CustomTestStringConvertible {
        let document: String
        let depth: Int
        let values: Int
        var testDescription: String { self.document }
    }

    @Test(arguments: [
        Limited(document: "[]", depth: 1, values: 1),
        Limited(document: "{}", depth: 1, values: 1),
        Limited(document: "[ \n]", depth: 1, values: 1),
        Limited(document: "[1]", depth: 1, values: 2),
        Limited(document: "[1,[2,[]],{}]", depth: 3, values: 6),
        Limited(document: #"{"a":[1,2],"b":{"c":null}}"#, depth: 2, values: 6),
        Limited(document: #"["[[[[,,,,","a\"[,]","\\",""]"#, depth: 1, values: 5),
        Limited(document: #"[{"[{,":"]"}]"#, depth: 2, values: 3),
    ])
    func `depth and values are limited as the strict parser limits them`(_ sample: Limited) throws {
        struct Anything: Decodable, Sendable {
            init(from decoder: any Decoder) {}
        }
        func decode(_ limits: ParsingLimits, _ response: Response) throws {
            _ = try DecodableResponseSerializer(Anything.self, limits: limits).serialize(response)
            _ = try JSONResponseSerializer(limits: limits).serialize(response)
        }
        let utf16 = sample.document.utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        var wide = Response.stub("")
        wide.body = Data(utf16)
        for response in [Response.stub(sample.document), wide] {
            #expect(throws: Never.self) {
                try decode(ParsingLimits(depth: sample.depth, elementCount: sample.values), response)
            }
            for limits in [
                ParsingLimits(depth: sample.depth - 1), ParsingLimits(elementCount: sample.values - 1),
            ] {
                let error = #expect(throws: SerializationError.self) {
                    try DecodableResponseSerializer(Anything.self, limits: limits).serialize(response)
                }
                #expect(error?.code == .limitExceeded)
                #expect(throws: SerializationError(.limitExceeded, reason: "")) {
                    try JSONResponseSerializer(limits: limits).serialize(response)
                }
            }
        }
    }
}

extension CodingUserInfoKey {
    /// The name of the member that a test decodes.
    fileprivate static var name: CodingUserInfoKey {
        get throws { try #require(CodingUserInfoKey(rawValue: "name")) }
    }
}
