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
        serializer.options.totalTimeout = .seconds(7)
        serializer.options.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.options.allowsCellularAccess = false
        serializer.options.handlesCookies = false
        serializer.options.usesPipelining = true
        serializer.options.decodesContent = false
        serializer.options.networkServiceType = .video
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

    private func format(of serializer: HTTPRequestSerializer) throws -> QueryFormat {
        guard case .format(let format) = serializer.queryStringStyle else {
            throw SerializationError(.emptyBody, reason: "")
        }
        return format
    }

    @Test func `1.1.4 an archive holds everything`() throws {
        let serializer = try self.makeSerializer()
        // What has its default would be there without the archive.
        #expect(ArchiveTests.defaults(in: serializer, comparedTo: HTTPRequestSerializer()) == [])
        #expect(ArchiveTests.defaults(in: try self.format(of: serializer), comparedTo: QueryFormat()) == [])
        let copy = try self.archived(serializer)
        #expect(copy == serializer)
        #expect(String(reflecting: copy.options) == String(reflecting: serializer.options))

        var json = JSONRequestSerializer(base: serializer)
        json.isPretty = true
        json.sortsKeys = false
        json.allowsFragments = true
        json.maximumDepth = 9
        #expect(ArchiveTests.defaults(in: json, comparedTo: JSONRequestSerializer()) == [])
        #expect(try self.archived(json) == json)

        var propertyList = PropertyListRequestSerializer(format: .binary, base: serializer)
        propertyList.maximumDepth = 9
        #expect(ArchiveTests.defaults(in: propertyList, comparedTo: PropertyListRequestSerializer()) == [])
        #expect(try self.archived(propertyList) == propertyList)
    }

    /// The names of the stored properties that have the value of another instance, structures inside included.
    static func defaults<Value>(in value: Value, comparedTo other: Value) -> [String] {
        zip(Mirror(reflecting: value).children, Mirror(reflecting: other).children).flatMap {
            mine,
            others -> [String] in
            let name = mine.label ?? ""
            let isOwn = String(reflecting: type(of: mine.value)).hasPrefix("BluebonnetSerialization.")
            // A set of bytes is one value, whatever it is made of.
            let isWhole = mine.value is PercentEncoding.AllowedBytes
            if isOwn, !isWhole, Mirror(reflecting: mine.value).displayStyle == .struct {
                return Self.defaults(in: mine.value, comparedTo: others.value).map { "\(name).\($0)" }
            }
            return String(reflecting: mine.value) == String(reflecting: others.value) ? [name] : []
        }
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
