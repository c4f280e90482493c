// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@Suite struct HTTPResponseSerializerTests {
    @Test func `1.2.2 gives the body of any type with a status of 200 to 299`() throws {
        for status in [200, 204, 299] {
            let response = Response.stub("abc", type: "image/png", status: status)
            #expect(try HTTPResponseSerializer().serialize(response) == Data("abc".utf8))
        }
        for status in [199, 300, 304, 404, 500, 999] {
            let error = #expect(throws: SerializationError.self) {
                try HTTPResponseSerializer().serialize(.stub("abc", status: status))
            }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.body == Data("abc".utf8))
        }
    }

    @Test func `1.2.2 a URL makes no difference to the status check`() throws {
        var response = Response(status: .internalServerError)
        #expect(throws: SerializationError.self) { try HTTPResponseSerializer().serialize(response) }
        let url = try #require(URL(string: "http://127.0.0.1/"))
        response = Response(status: .internalServerError, request: Request(url: url))
        #expect(throws: SerializationError.self) { try HTTPResponseSerializer().serialize(response) }
    }

    @Test func `1.2.2 an archive keeps everything`() throws {
        func check<Serializer: Codable & Equatable>(_ serializer: Serializer, _ other: Serializer) throws {
            #expect(ArchiveTests.defaults(in: serializer, comparedTo: other) == [], "\(Serializer.self)")
            let data = try JSONEncoder().encode(serializer)
            let copy = try JSONDecoder().decode(Serializer.self, from: data)
            #expect(copy == serializer)
            #expect(ArchiveTests.defaults(in: copy, comparedTo: other) == [], "\(Serializer.self)")
        }
        let validation = ResponseValidation(statusCodes: [200], contentTypes: ["a/b"])
        let limits = ParsingLimits(byteCount: 1, depth: 2, elementCount: 3, attributeCount: 4)
        try check(HTTPResponseSerializer(validation: validation), HTTPResponseSerializer())
        try check(
            HTTPResponseSerializer(validation: ResponseValidation(statusCodes: nil, contentTypes: [])),
            HTTPResponseSerializer()
        )
        try check(
            JSONResponseSerializer(validation: validation, allowsFragments: true, removesNulls: true, limits: limits),
            JSONResponseSerializer()
        )
        try check(
            PropertyListResponseSerializer(validation: validation, limits: limits),
            PropertyListResponseSerializer()
        )
        try check(
            XMLDocumentResponseSerializer(validation: validation, limits: limits),
            XMLDocumentResponseSerializer()
        )
        try check(
            StringResponseSerializer(charset: .windows1252, fallback: .shiftJIS, validation: validation),
            StringResponseSerializer()
        )
        try check(PrefixPreprocessor("while(1);"), PrefixPreprocessor())
    }
}
