// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct StringResponseSerializerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String { self.type }
        var type: String
        var bytes: [UInt8]
        var text: String
    }

    static let cases: [Case] = [
        Case(type: "text/plain", bytes: [0xC3, 0xA9], text: "é"),
        Case(type: "text/plain; charset=UTF-8", bytes: [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], text: "é"),
        Case(type: "text/plain; charset=\"utf8\"", bytes: [0xC3, 0xA9], text: "é"),
        Case(type: "text/plain; format=flowed; Charset=ISO-8859-1", bytes: [0xE9, 0x80], text: "é\u{80}"),
        Case(type: "text/plain; charset=latin1", bytes: [0xFF], text: "ÿ"),
        Case(type: "text/plain; charset=windows-1252", bytes: [0x80, 0x93, 0x81, 0xE9], text: "€“\u{81}é"),
        Case(type: "text/plain; charset=us-ascii", bytes: [0x41], text: "A"),
        Case(type: "text/plain; charset=utf-16", bytes: [0xFE, 0xFF, 0x00, 0xE9], text: "é"),
        Case(type: "text/plain; charset=utf-16", bytes: [0xFF, 0xFE, 0xE9, 0x00], text: "é"),
        Case(type: "text/plain; charset=utf-16", bytes: [0x00, 0xE9], text: "é"),
        Case(type: "text/plain; charset=utf-16le", bytes: [0x3D, 0xD8, 0x00, 0xDE], text: "😀"),
        Case(type: "text/plain; charset=utf-16be", bytes: [0xD8, 0x3D, 0xDE, 0x00], text: "😀"),
        Case(type: "text/plain; charset=utf-32", bytes: [0x00, 0x01, 0xF6, 0x00], text: "😀"),
        Case(type: "text/plain; charset=utf-32le", bytes: [0x00, 0xF6, 0x01, 0x00], text: "😀"),
        Case(type: "text/plain; charset=utf-32", bytes: [0xFF, 0xFE, 0, 0, 0x00, 0xF6, 0x01, 0x00], text: "😀"),
    ]

    @Test(arguments: Self.cases) func `reads text by the charset of the response`(_ example: Case) throws {
        let response = Response.stub(Data(example.bytes), type: example.type)
        #expect(try StringResponseSerializer().serialize(response) == example.text)
    }

    static let invalid: [Case] = [
        Case(type: "text/plain; charset=utf-8", bytes: [0xFF], text: ""),
        Case(type: "text/plain; charset=utf-8", bytes: [0xED, 0xA0, 0x80], text: ""),
        Case(type: "text/plain; charset=us-ascii", bytes: [0x80], text: ""),
        Case(type: "text/plain; charset=utf-16le", bytes: [0x3D, 0xD8], text: ""),
        Case(type: "text/plain; charset=utf-16", bytes: [0x00], text: ""),
        Case(type: "text/plain; charset=utf-32", bytes: [0x00, 0x11, 0x00, 0x00], text: ""),
        Case(type: "text/plain; charset=utf-32", bytes: [0x00, 0x00, 0x00], text: ""),
    ]

    @Test(arguments: Self.invalid) func `repairs nothing`(_ example: Case) {
        let response = Response.stub(Data(example.bytes), type: example.type)
        let error = #expect(throws: SerializationError.self) { try StringResponseSerializer().serialize(response) }
        #expect(error?.code == .malformedBody)
    }

    @Test func `a charset that is not known is an error unless one is given`() throws {
        let response = Response.stub("abc", type: "text/plain; charset=x-klingon")
        let error = #expect(throws: SerializationError.self) { try StringResponseSerializer().serialize(response) }
        #expect(error?.code == .unsupportedCharset)
        #expect(error?.description.contains("klingon") == false)
        #expect(try StringResponseSerializer(charset: .ascii).serialize(response) == "abc")
    }

    @Test func `the given charset wins, the fallback is for responses that name none`() throws {
        let named = Response.stub(Data([0xE9]), type: "text/plain; charset=utf-8")
        #expect(try StringResponseSerializer(charset: .iso8859Part1).serialize(named) == "é")
        let unnamed = Response.stub(Data([0xE9]), type: nil)
        #expect(try StringResponseSerializer(fallback: .windows1252).serialize(unnamed) == "é")
    }

    @Test(arguments: Charset.allCases) func `every charset is found by its own name`(_ charset: Charset) {
        #expect(Charset(named: charset.name) == charset)
        #expect(Charset(named: charset.name.lowercased()) == charset)
    }

    @Test(arguments: [Response.stub("", type: nil), .stub("", status: 204)]) func `no body is the empty string`(
        _ response: Response
    ) throws {
        #expect(try StringResponseSerializer().serialize(response) == "")
    }
}
