// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// Bodies with a content coding that was not decoded.
@Suite struct ContentCodingTests {
    struct Reader: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable (Response) throws -> Void

        init(_ serializer: some ResponseSerializer) {
            self.testDescription = "\(type(of: serializer))"
            self.read = { _ = try serializer.serialize($0) }
        }
    }

    private static let readers = [
        Reader(.json), Reader(.string), Reader(.xmlDocument), Reader(.propertyList), Reader(.decodable([Int].self)),
        Reader(.decodable(JSONValue.self)),
    ]

    private static func response(_ coding: String?, of bytes: [UInt8], _ type: String?) -> Response {
        var response = Response.stub(Data(bytes), type: type)
        response.headers[.contentEncoding] = coding
        return response
    }

    /// The error for bytes that are in no format.
    private static func error(_ reader: Reader, _ coding: String?) throws -> SerializationError {
        let types = [
            "JSON": "application/json", "Decodable": "application/json", "PropertyList": "application/x-plist",
        ]
        let type = types.first { reader.testDescription.hasPrefix($0.key) }?.value ?? "text/xml"
        let response = Self.response(coding, of: [0xFF, 0x44, 0x43, 0x42, 0x00, 0xD8], type)
        return try #require(throws: SerializationError.self) { try reader.read(response) }
    }

    @Test(.bug(id: "F640"), arguments: Self.readers)
    func `an error about the format names a coding that was not decoded`(_ reader: Reader) throws {
        let plain = try Self.error(reader, nil).reason
        for (coding, name) in [("dcb", "dcb"), ("BR", "br"), ("identity, gzip ,zstd", "gzip, zstd")] {
            let reason = try Self.error(reader, coding).reason
            #expect(reason == "the body has the content coding \(name), which was not decoded: \(plain)")
        }
        let unknown = try Self.error(reader, "s3cret").reason
        #expect(unknown == "the body has a content coding that is not known: \(plain)")
        #expect(try Self.error(reader, "identity").reason == plain)
    }

    @Test(.bug(id: "F640"), arguments: ["utf-8", "aws-chunked", "identity", "gzip"])
    func `a plain body is read, whatever coding its server names`(_ coding: String) throws {
        let response = Self.response(coding, of: Array("[1]".utf8), "application/json")
        #expect(try DecodableResponseSerializer([Int].self).serialize(response) == [1])
        #expect(try StringResponseSerializer().serialize(response) == "[1]")
    }
}
