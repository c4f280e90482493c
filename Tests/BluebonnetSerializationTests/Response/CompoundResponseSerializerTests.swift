// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct CompoundResponseSerializerTests {
    enum Document: Sendable, Equatable {
        case json(JSONValue?)
        case list(PropertyListValue?)
        case text(String)
    }

    static let serializer = CompoundResponseSerializer<Document>([
        JSONResponseSerializer().map { .json($0) },
        PropertyListResponseSerializer().map { .list($0) },
        StringResponseSerializer(validation: ResponseValidation(contentTypes: ["text/plain"])).map { .text($0) },
    ])

    @Test func `1.2.7 the first that does not refuse wins`() throws {
        #expect(try Self.serializer.serialize(.stub("[1]")) == .json([1]))
        #expect(
            try Self.serializer.serialize(.stub("<plist><true/></plist>", type: "application/x-plist"))
                == .list(.bool(true))
        )
        #expect(try Self.serializer.serialize(.stub("hello", type: "text/plain")) == .text("hello"))
    }

    @Test func `1.2.7 an empty body is an answer of the first, not a refusal`() throws {
        #expect(try Self.serializer.serialize(.stub("", type: nil, status: 204)) == .json(nil))
    }

    @Test func `1.2.7 when all refuse the error lists why`() {
        let error = #expect(throws: SerializationError.self) {
            try Self.serializer.serialize(.stub("x", type: "image/png"))
        }
        #expect(error?.code == .noSerializerSucceeded)
        for part in [
            "1. MapResponseSerializer: unacceptableContentType", "2. ", "3. ", "application/x-plist", "text/plain",
        ] {
            #expect(error?.reason.contains(part) == true)
        }
        #expect(error?.contains(.unacceptableContentType) == true)
        #expect(error?.response != nil)
    }

    @Test func `1.2.7 the error below is the one of the serializer that took the type`() throws {
        let error = #expect(throws: SerializationError.self) {
            try Self.serializer.serialize(.stub("<plist>", type: "application/x-plist"))
        }
        #expect((error?.underlying as? SerializationError)?.code == .malformedBody)
        let status = #expect(throws: SerializationError.self) {
            try Self.serializer.serialize(.stub("{\"a\":1}", status: 500))
        }
        #expect(status?.contains(.unacceptableStatus) == true)
        #expect(try status?.decode([String: Int].self) == ["a": 1])
    }

    @Test func `1.2.7 no serializer at all is an error`() {
        let error = #expect(throws: SerializationError.self) {
            try CompoundResponseSerializer<Int>([]).serialize(.stub("1"))
        }
        #expect(error?.code == .noSerializerSucceeded)
    }
}
