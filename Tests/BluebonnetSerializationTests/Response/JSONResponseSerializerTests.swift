// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes
import Testing

@Suite struct JSONResponseSerializerTests {
    @Test(
        arguments: [
            Response.stub(""), .stub(" "), .stub("", status: 204), .stub("", type: nil, status: 205),
            .stub("", type: "text/html"),
            .stub("", method: .head), .stub("", type: "image/png", method: .head),
        ]
    )
    func `1.2.3 nothing to decode is nil, not an error`(_ response: Response) throws {
        #expect(try JSONResponseSerializer().serialize(response) == nil)
    }

    @Test(arguments: ["  ", "\n", " \n"]) func `1.2.3 any other white space alone is malformed`(_ body: String) {
        let error = #expect(throws: SerializationError.self) { try JSONResponseSerializer().serialize(.stub(body)) }
        #expect(error?.code == .malformedBody)
        #expect(error?.response?.status == .ok)
    }

    @Test(arguments: ["application/json", "text/json", "text/javascript", "application/json;charset=UTF-8"])
    func `1.2.3 takes the JSON types`(_ type: String) throws {
        #expect(try JSONResponseSerializer().serialize(.stub("{\"a\":1}", type: type)) == ["a": 1])
    }

    @Test func `1.2.3 a bad status is an error with a body that can still be read`() throws {
        struct Problem: Decodable, Equatable { var message: String }
        let error = #expect(throws: SerializationError.self) {
            try JSONResponseSerializer().serialize(.stub(#"{"message":"no"}"#, status: 422))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(try error?.decode(Problem.self) == Problem(message: "no"))
        #expect(try error?.decode() == Problem(message: "no"))
    }

    @Test func `1.2.3 an error without a body has nothing to decode`() {
        let error = SerializationError(.unacceptableStatus, reason: "", response: .stub("", status: 500))
        let second = #expect(throws: SerializationError.self) { try error.decode(JSONValue.self) }
        #expect(second?.code == .emptyBody)
    }

    @Test(arguments: ["1", "\"a\"", "null", "true"]) func `1.2.3 fragments only by option`(_ body: String) throws {
        let error = #expect(throws: SerializationError.self) { try JSONResponseSerializer().serialize(.stub(body)) }
        #expect(error?.code == .malformedBody)
        #expect(error?.reason.contains("allowsFragments") == true)
        #expect(try JSONResponseSerializer(allowsFragments: true).serialize(.stub(body)) != nil)
    }

    @Test func `1.2.3 nulls go from objects and arrays at every depth, a null alone stays`() throws {
        let body = #"{"a":null,"b":[1,null,{"c":null,"d":[null]}],"e":{}}"#
        let value = try JSONResponseSerializer(removesNulls: true).serialize(.stub(body))
        #expect(value?.description == #"{"b":[1,{"d":[]}],"e":{}}"#)
        #expect(try JSONResponseSerializer(allowsFragments: true, removesNulls: true).serialize(.stub("null")) == .null)
    }

    @Test func `1.2.3 a wrong type is never decoded`() {
        let error = #expect(throws: SerializationError.self) {
            try JSONResponseSerializer().serialize(.stub("{", type: "text/plain"))
        }
        #expect(error?.code == .unacceptableContentType)
    }

    @Test func `1.2.3 a document over the limits is an error that carries the response`() {
        let serializer = JSONResponseSerializer(limits: ParsingLimits(byteCount: 10))
        let error = #expect(throws: SerializationError.self) { try serializer.serialize(.stub("[1,2,3,4,5,6,7]")) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.response != nil)
    }

    @Test func `1.2.3 static members read well at the call`() throws {
        func read<S: ResponseSerializer>(_ response: Response, serializer: S) throws -> S.Output {
            try serializer.serialize(response)
        }
        #expect(try read(.stub("[]"), serializer: .json) == JSONValue.array([]))
        #expect(try read(.stub("é"), serializer: .string) == "é")
        #expect(try read(.stub("é"), serializer: .data).count == 2)
        #expect(try read(.stub("[1]"), serializer: .decodable([Int].self)) == [1])
    }
}
