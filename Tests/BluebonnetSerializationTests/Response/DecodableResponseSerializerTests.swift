// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct DecodableResponseSerializerTests {
    struct User: Codable, Sendable, Equatable {
        struct Address: Codable, Sendable, Equatable { var city: String }
        var name: String
        var addresses: [Address]
    }

    @Test func `decodes JSON`() throws {
        let user = try DecodableResponseSerializer(User.self).serialize(
            .stub(#"{"name":"Ada","addresses":[{"city":"London"}]}"#)
        )
        #expect(user == User(name: "Ada", addresses: [.init(city: "London")]))
    }

    @Test func `the error carries the path to the value that does not fit`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(User.self).serialize(
                .stub(#"{"name":"Ada","addresses":[{"city":"a"},{"city":1}]}"#)
            )
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == ["addresses", "1", "city"])
        #expect(error?.underlying is DecodingError)
        #expect(error?.response != nil)
    }

    @Test func `a missing member is named`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(User.self).serialize(.stub("{}"))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.reason.contains("“name”") == true)
    }

    @Test func `a broken document says where`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(User.self).serialize(.stub("{\"name\":\n  oops}"))
        }
        #expect(error?.code == .malformedBody)
        let place = error?.underlying as? JSONSyntaxError
        #expect(place?.line == 2)
        #expect(place?.column == 3)
    }

    @Test(arguments: [
        Response.stub(""), .stub(" "), .stub("", type: nil, status: 204), .stub("", status: 205),
        .stub("", method: .head),
    ])
    func `an empty body is nil or EmptyBody, and an error for other types`(_ response: Response) throws {
        #expect(try DecodableResponseSerializer(User?.self).serialize(response) == nil)
        #expect(try DecodableResponseSerializer(EmptyBody.self).serialize(response) == EmptyBody())
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(User.self).serialize(response)
        }
        #expect(error?.code == .emptyBody)
    }

    @Test func `EmptyBody takes any document`() throws {
        #expect(try DecodableResponseSerializer(EmptyBody.self).serialize(.stub("[1,2]")) == EmptyBody())
        #expect(String(decoding: try JSONEncoder().encode(EmptyBody()), as: UTF8.self) == "{}")
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

    @Test func `takes another decoder`() throws {
        let list = try PropertyListEncoder().encode(["a": 1])
        let serializer = DecodableResponseSerializer(
            [String: Int].self,
            decoder: PropertyListDecoder(),
            validation: ResponseValidation(contentTypes: ["application/x-plist"])
        )
        #expect(try serializer.serialize(.stub(list, type: "application/x-plist")) == ["a": 1])
    }

    @Test func `JSONValue itself keeps the order of members and every digit`() throws {
        let body = #"{"z":12345678901234567890123,"a":0.30000000000000004,"m":1e400}"#
        #expect(try DecodableResponseSerializer(JSONValue.self).serialize(.stub(body)).description == body)
        let error = SerializationError(.unacceptableStatus, reason: "", response: .stub(body, status: 500))
        #expect(try error.decode(JSONValue.self).description == body)
    }

    @Test func `JSONValue can be a member of a type`() throws {
        struct Envelope: Codable, Sendable { var payload: JSONValue }
        let body = #"{"payload":{"a":[1,-2.5,true,null,"x",18446744073709551615]}}"#
        let envelope = try DecodableResponseSerializer(Envelope.self).serialize(.stub(body))
        #expect(envelope.payload == ["a": [1, -2.5, true, nil, "x", JSONValue(UInt64.max)]])
        let again = try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope))
        #expect(again.payload == envelope.payload)
    }
}
