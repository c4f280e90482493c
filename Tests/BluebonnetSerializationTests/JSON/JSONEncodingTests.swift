// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

/// JSON values in the encoders of other formats, and values of other types as JSON.
@Suite struct JSONEncodingTests {
    private struct Holder: Codable, Equatable {
        var extraData: JSONValue
    }

    @Test(.bug(id: "F656")) func `an encoder that converts the keys of types leaves the names of a value unchanged`()
        throws
    {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        let holder = Holder(extraData: ["userName": 1, "list": [["innerKey": ["deepKey": true]]]])
        let document = try encoder.encode(holder)
        let expected = #"{"extra_data":{"list":[{"innerKey":{"deepKey":true}}],"userName":1}}"#
        #expect(String(decoding: document, as: UTF8.self) == expected)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(Holder.self, from: document) == holder)
    }

    @Test(.bug(id: "F656")) func `two names that other encoders do not distinguish are refused`() throws {
        let value = try JSONValue(parsing: #"{"a":[{"\u00e9":1,"e\u0301":2}]}"#)
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(Holder(extraData: value)) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["extraData", "a", "Index 0"])
    }

    @Test func `a value of any type becomes a document`() throws {
        struct User: Encodable {
            var name = "Ada"
            var born = Date(timeIntervalSince1970: 0)
            var extra: JSONValue
        }
        let digits = try #require(JSONNumber(exactly: "0.1234567890123456789"))
        let value = try JSONValue(encoding: User(extra: .number(digits)))
        #expect(value["born"]?.string == "1970-01-01T00:00:00Z")
        #expect(value["extra"]?.number == digits)
        #expect(value["name"] == "Ada")
        let error = #expect(throws: SerializationError.self) { try JSONValue(encoding: ["a": Double.nan]) }
        #expect(error?.code == .unencodableValue)
    }
}
