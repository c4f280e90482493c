// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ArchiveTests {
    private func archived<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    private func makeSerializer() throws -> HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        try serializer.setValue("v", forHeader: "X-Own")
        serializer.options.timeoutInterval = .milliseconds(1_500)
        serializer.options.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.methodsEncodingParametersInURL = [.get, .put]
        serializer.textEncoding = .utf16BigEndian
        serializer.addsCharsetToContentType = true
        var format = QueryFormat()
        format.arrays = .indexed
        format.keyPaths = .dots
        format.bools = .literal
        format.nulls = .dropValue
        format.space = .plus
        format.allowedBytes = .unreserved
        format.maximumDepth = 7
        serializer.queryStringStyle = .format(format)
        return serializer
    }

    @Test func `1.1.4 an archive holds everything`() throws {
        let serializer = try self.makeSerializer()
        #expect(try self.archived(serializer) == serializer)
        #expect(serializer != HTTPRequestSerializer())
        var json = JSONRequestSerializer(base: serializer)
        json.isPretty = true
        json.sortsKeys = false
        json.allowsFragments = true
        #expect(try self.archived(json) == json)
        let propertyList = PropertyListRequestSerializer(format: .binary, base: serializer)
        #expect(try self.archived(propertyList) == propertyList)
    }

    @Test func `1.1.4 closures are not archived; the default stands in`() throws {
        var serializer = try self.makeSerializer()
        serializer.queryStringStyle = .custom { _, _ in "x" }
        let copy = serializer
        #expect(copy == serializer)
        #expect(try self.archived(serializer).queryStringStyle == .default)
        var format = QueryFormat()
        format.arrays = .custom { key, _ in key }
        format.keyPaths = .custom { $0 }
        format.bools = .literal
        serializer.queryStringStyle = .format(format)
        var expected = QueryFormat()
        expected.bools = .literal
        #expect(try self.archived(serializer).queryStringStyle == .format(expected))
    }

    @Test func `an archive with a method that is none is refused`() throws {
        var text = String(decoding: try JSONEncoder().encode(try self.makeSerializer()), as: UTF8.self)
        text = text.replacing("\"PUT\"", with: "\"P T\"")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPRequestSerializer.self, from: Data(text.utf8))
        }
    }
}
