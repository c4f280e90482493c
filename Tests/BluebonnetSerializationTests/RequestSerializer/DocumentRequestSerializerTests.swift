// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct JSONRequestSerializerTests {
    private let serializer = JSONRequestSerializer(base: HTTPRequestSerializer(defaultHeaders: HTTPFields()))

    private func text(_ parameters: ParameterValue, _ serializer: JSONRequestSerializer? = nil) throws -> String {
        let request = try (serializer ?? self.serializer).makeRequest(.post, "http://h/", parameters: parameters)
        return String(decoding: try #require(request.body.data), as: UTF8.self)
    }

    @Test func `1.1.7 writes a document and its type`() throws {
        let request = try self.serializer.makeRequest(
            .post,
            "http://h/p?q",
            parameters: ["b": [1, nil], "a": "ü/\"\n"]
        )
        #expect(request.headers[.contentType] == "application/json")
        #expect(request.url.absoluteString == "http://h/p?q")
        #expect(request.body.data == Data(#"{"a":"ü/\"\n","b":[1,null]}"#.utf8))
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func `1.1.7 URL methods get a query`(_ method: HTTPRequest.Method) throws {
        let request = try self.serializer.makeRequest(method, "http://h/", parameters: ["k": 1])
        #expect(request.url.absoluteString == "http://h/?k=1")
        #expect(request.headers.isEmpty)
        #expect(request.body.contentLength == 0)
    }

    @Test func `1.1.7 without parameters there is neither body nor type`() throws {
        let request = try self.serializer.makeRequest(.post, "http://h/")
        #expect(request.headers.isEmpty)
        guard case .none = request.body else {
            Issue.record("a body")
            return
        }
    }

    @Test func `1.1.7 a type that is there stays`() throws {
        var request = try Request(method: .post, parsing: "http://h/")
        request.headers[.contentType] = "application/vnd.api+json"
        let result = try self.serializer.serialize(request, parameters: [:])
        #expect(result.headers[.contentType] == "application/vnd.api+json")
        #expect(result.body.data == Data("{}".utf8))
    }

    @Test func `1.1.7 the top level is a dictionary or an array unless fragments are allowed`() throws {
        for parameters in [nil, true, 1, 1.5, "s", .data(Data()), .date(Date())] as [ParameterValue] {
            let error = #expect(throws: SerializationError.self) { try self.text(parameters) }
            #expect(error?.code == .invalidParameters)
            #expect(error?.reason.hasSuffix("; to send it, set allowsFragments") == true)
        }
        var lenient = self.serializer
        lenient.allowsFragments = true
        #expect(try self.text("s", lenient) == "\"s\"")
        #expect(try self.text([1]) == "[1]")
        #expect(try self.text(.set([2, 1])) == "[1,2]")
    }

    @Test(.bug(id: "F475"), arguments: [Double.nan, .infinity, -.infinity])
    func `1.1.7 a number that JSON has not is an error with its path`(_ number: Double) {
        let error = #expect(throws: SerializationError.self) { try self.text(["a": [["b": .double(number)]]]) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "0", "b"])
        for text in [error?.description, error?.errorDescription] {
            #expect(text?.hasSuffix(" (at a.0.b)") == true)
        }
    }

    @Test func `1.1.7 values that JSON has not get a text`() throws {
        #expect(try self.text(["d": .data(Data("data".utf8))]) == #"{"d":"ZGF0YQ=="}"#)
        #expect(try self.text(["d": .date(Date(timeIntervalSince1970: 0))]) == #"{"d":"1970-01-01T00:00:00Z"}"#)
        #expect(
            try self.text([.unsigned(.max), .int(.min), 1.0, -0.0, 0.1, 1e300])
                == "[18446744073709551615,-9223372036854775808,1,-0.0,0.1,1e+300]"
        )
    }

    @Test func `1.1.7 writing options`() throws {
        var serializer = self.serializer
        serializer.isPretty = true
        #expect(try self.text(["b": 1, "a": [2]], serializer) == "{\n  \"a\": [\n    2\n  ],\n  \"b\": 1\n}")
        let parameters = ParameterValue.dictionary(
            Dictionary(uniqueKeysWithValues: (0..<40).map { ("k\($0)", ParameterValue($0)) })
        )
        serializer.isPretty = false
        let sorted = try self.text(parameters, serializer)
        serializer.sortsKeys = false
        let unsorted = try self.text(parameters, serializer)
        #expect(try JSONValue(parsing: sorted) == JSONValue(parsing: unsorted))
        #expect(sorted.hasPrefix(#"{"k0":0,"k1":1,"k10":10,"#))
    }

    @Test func `nesting beyond the limit is an error`() {
        var value: ParameterValue = 1
        for _ in 0..<128 { value = [value] }
        #expect(throws: Never.self) { try self.text(value) }
        #expect(throws: SerializationError(.limitExceeded, reason: "")) { try self.text([value]) }
    }

    @Test func `an Encodable value becomes a document`() throws {
        struct Value: Encodable {
            var a = Date(timeIntervalSince1970: 0)
            var b = [1: "x"]
            var c: Set = ["z", "y"]
        }
        let request = try self.serializer.serialize(Request(method: .post, parsing: "http://h/"), encoding: Value())
        #expect(request.body.data == Data(#"{"a":"1970-01-01T00:00:00Z","b":{"1":"x"},"c":["y","z"]}"#.utf8))
    }
}

@Suite struct PropertyListRequestSerializerTests {
    private func serializer(_ format: PropertyListRequestSerializer.Format) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(format: format, base: HTTPRequestSerializer(defaultHeaders: HTTPFields()))
    }

    @Test(.bug(id: "F475"), arguments: PropertyListRequestSerializer.Format.allCases)
    func `the text of an error names the value that cannot be written`(_ format: PropertyListRequestSerializer.Format) {
        let error = #expect(throws: SerializationError.self) {
            try self.serializer(format).makeRequest(.post, "http://h/", parameters: ["a": ["b": .null]])
        }
        #expect(error?.codingPath == ["a", "b"])
        #expect(error?.description.hasSuffix(" (at a.b)") == true)
    }

    private struct Tree: Codable, Equatable {
        var text = "ü<&>"
        var int = -7
        var big = UInt64(Int64.max) + 1
        var double = 1.5
        var bool = true
        var data = Data([0, 255])
        var date = Date(timeIntervalSince1970: 1_000_000_000)
        var list = [[1], []]
        var set: Set<String> = ["a", "b"]
        var dictionary = ["k": ["l": "v"]]
    }

    @Test(arguments: PropertyListRequestSerializer.Format.allCases)
    func `1.1.8 every type is read back as itself`(_ format: PropertyListRequestSerializer.Format) throws {
        let request = try self.serializer(format)
            .serialize(Request(method: .post, parsing: "http://h/"), encoding: Tree())
        let body = try #require(request.body.data)
        #expect(request.headers[.contentType] == "application/x-plist")
        #expect(body.starts(with: Data((format == .xml ? "<?xml" : "bplist00").utf8)))
        #expect(try PropertyListDecoder().decode(Tree.self, from: body) == Tree())
        if format == .xml {
            let text = String(decoding: body, as: UTF8.self)
            for element in [
                "<date>2001-09-09T01:46:40Z</date>", "<true/>", "<integer>-7</integer>", "<real>1.5</real>", "<data>",
            ] {
                #expect(text.contains(element))
            }
        }
    }

    @Test func `1.1.8 null is an error with its path`() {
        let error = #expect(throws: SerializationError.self) {
            try self.serializer(.xml).makeRequest(.post, "http://h/", parameters: ["a": [1, nil]])
        }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "1"])
    }

    @Test(arguments: ["a\u{0}b", "\u{1}", "\u{1B}[31m", "\u{FFFE}", "\u{FFFF}"])
    func `1.1.8 text that XML cannot hold is an error with its path, and no trouble in the binary format`(
        _ text: String
    ) throws {
        for parameters in [["k": ["v", .string(text)]], ["k": [.dictionary([text: 1])]]] as [ParameterValue] {
            let error = #expect(throws: SerializationError.self) {
                try self.serializer(.xml).makeRequest(.post, "http://h/", parameters: parameters)
            }
            #expect(error?.code == .unencodableValue)
            #expect(error?.codingPath.first == "k")
        }
        let binary = try self.serializer(.binary).makeRequest(.post, "http://h/", parameters: ["k": .string(text)])
        #expect(try PropertyListValue(parsing: try #require(binary.body.data))["k"]?.string == text)
    }

    @Test func `1.1.8 URL methods get a query, no parameters no body, a type that is there stays`() throws {
        let serializer = self.serializer(.binary)
        #expect(
            try serializer.makeRequest(.get, "http://h/", parameters: ["k": 1]).url.absoluteString == "http://h/?k=1"
        )
        let empty = try serializer.makeRequest(.post, "http://h/")
        #expect(empty.headers.isEmpty)
        #expect(empty.body.data == nil)
        var request = try Request(method: .put, parsing: "http://h/")
        request.headers[.contentType] = "text/x"
        #expect(try serializer.serialize(request, parameters: [:]).headers[.contentType] == "text/x")
    }

    @Test(arguments: PropertyListRequestSerializer.Format.allCases)
    func `nesting beyond the limit is an error`(_ format: PropertyListRequestSerializer.Format) {
        var value: ParameterValue = 1
        for _ in 0..<128 { value = ["k": value] }
        #expect(throws: Never.self) { try self.serializer(format).makeRequest(.post, "http://h/", parameters: value) }
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try self.serializer(format).makeRequest(.post, "http://h/", parameters: ["k": value])
        }
    }
}
