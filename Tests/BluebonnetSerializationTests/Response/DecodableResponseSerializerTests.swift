// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetSerialization

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

    /// A document, and what decodes it to a type that it does not fit.
    struct Misfit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let decode: @Sendable (_ decoder: any DataDecoder) throws -> Void

        init<Value: Decodable & Sendable>(_ document: String, _ type: Value.Type) {
            self.testDescription = "\(document) as \(type)"
            self.decode = {
                _ = try DecodableResponseSerializer(type, decoder: $0, validation: .none).serialize(.stub(document))
            }
        }
    }

    enum Size: String, Decodable, Sendable { case small }

    private static let jsonDecoders: [any DataDecoder] = {
        let json5 = JSONDecoder()
        json5.allowsJSON5 = true
        return [ResponseDecoder(), JSONDecoder(), json5]
    }()

    @Test(
        .bug(id: "F427"),
        arguments: [
            Misfit(#"{"n":1000}"#, [String: Int8].self), Misfit(#"[{"id":1},{"id":12.5}]"#, [[String: Int]].self),
            Misfit(#"{"id":9223372036854775808}"#, [String: Int].self), Misfit(#"{"a":-1}"#, [String: UInt8].self),
            Misfit(#"{"price":1e400}"#, [String: Double].self), Misfit(#"{"price":1e39}"#, [String: Float].self),
            Misfit("300", Int8.self), Misfit(#""middle""#, Size.self), Misfit(#""yesterday""#, UUID.self),
            Misfit(#""%%%""#, Data.self), Misfit("1e400", JSONValue?.self),
        ]
    )
    func `valid JSON that does not fit the type is decodingFailed`(_ misfit: Misfit) {
        for decoder in Self.jsonDecoders {
            let error = #expect(throws: SerializationError.self) { try misfit.decode(decoder) }
            #expect(error?.code == .decodingFailed)
            #expect(error?.reason.hasPrefix("the body does not fit the type: a ") == true)
            #expect(error?.underlying is DecodingError)
        }
    }

    @Test(
        .bug(id: "F642"),
        arguments: [#"{"id":1,"name":"x",}"#, "[1,]", "[[1 , \n ],2]", #"{"a":{"b":[],}}"#]
    )
    func `a comma before the end of a container is refused, whatever the type`(_ document: String) throws {
        let json5 = JSONDecoder()
        json5.allowsJSON5 = true
        for decoder in [ResponseDecoder(), JSONDecoder()] as [any DataDecoder] {
            for type in [EmptyBody.self, JSONValue.self] as [any (Decodable & Sendable).Type] {
                let error = #expect(throws: SerializationError.self) {
                    _ = try Misfit(document, type).decode(decoder)
                }
                #expect(error?.code == .malformedBody)
                #expect(error?.reason.hasPrefix("the body is not JSON: line ") == true)
            }
        }
        _ = try Misfit(document, EmptyBody.self).decode(json5)
        #expect(throws: DecodingError.self) { try ResponseDecoder().decode(EmptyBody.self, from: Data(document.utf8)) }
    }

    @Test(.bug(id: "F642"), arguments: [#"["a,]",1]"#, #"{"a,}":",]"}"#, "[ [1 , 2] , [] ]"])
    func `other commas are not`(_ document: String) throws {
        _ = try DecodableResponseSerializer(EmptyBody.self).serialize(.stub(document))
    }

    @Test(.bug(id: "F427")) func `valid JSON with text that is no date is decodingFailed`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Date.self).serialize(.stub(#""yesterday""#))
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test(.bug(id: "F427")) func `a document within the limits that does not fit the type is not beyond them`() {
        let document = String(repeating: "[", count: 200) + "1" + String(repeating: "]", count: 200)
        let serializer = DecodableResponseSerializer(
            [String: JSONValue].self,
            limits: ParsingLimits(depth: 300)
        )
        let error = #expect(throws: SerializationError.self) {
            try serializer.serialize(.stub(#"{"deep":\#(document),"n":[1e400]}"#))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == ["n", "0"])
    }

    @Test(.bug(id: "F427"), arguments: ["<string>middle</string>", "<string></string>"])
    func `a valid property list that does not fit the type is decodingFailed`(_ value: String) throws {
        let xml = Data("<plist>\(value)</plist>".utf8)
        let binary = try PropertyListSerialization.data(
            fromPropertyList: PropertyListSerialization.propertyList(from: xml, format: nil),
            format: .binary,
            options: 0
        )
        let serializer = DecodableResponseSerializer(Size.self, decoder: PropertyListDecoder(), validation: .none)
        for list in [xml, binary] {
            let error = #expect(throws: SerializationError.self) { try serializer.serialize(.stub(list)) }
            #expect(error?.code == .decodingFailed)
        }
        #expect(throws: SerializationError(.malformedBody, reason: "")) {
            try serializer.serialize(.stub(xml.dropLast(3)))
        }
    }

    @Test(.bug(id: "F427")) func `a body in a format of its own that is corrupted is not called JSON`() {
        struct Rows: DataDecoder {
            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no rows"))
            }
        }
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([Int].self, decoder: Rows(), validation: .none).serialize(.stub("1;2"))
        }
        #expect(error?.code == .malformedBody)
        #expect(error?.reason.contains("JSON") == false)
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
