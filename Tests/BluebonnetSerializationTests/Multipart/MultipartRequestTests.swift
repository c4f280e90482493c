// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct MultipartRequestTests {
    private let bare = HTTPRequestSerializer(defaultHeaders: HTTPFields())

    private func makeForm() -> MultipartFormData {
        var form = MultipartFormData(boundary: "B")
        form.append(Data("last".utf8), name: "file", filename: "f")
        return form
    }

    @Test func `1.1.9 parameters come first, then the parts`() throws {
        let request = try self.bare.serialize(
            Request(method: .post, parsing: "http://h/"),
            parameters: ["b": [1, 2], "a": "x"],
            multipart: self.makeForm()
        )
        guard case .multipart(let form) = request.body else {
            Issue.record("no form")
            return
        }
        #expect(request.headers[.contentType] == "multipart/form-data; boundary=B")
        #expect(
            form.parts.map { $0.headers[0].value } == [
                "form-data; name=\"a\"", "form-data; name=\"b[]\"", "form-data; name=\"b[]\"",
                "form-data; name=\"file\"; filename=\"f\"",
            ]
        )
        #expect(try Int64(request.body.collect().count) == request.body.contentLength)
    }

    @Test func `the names of parameters follow the serializer's format`() throws {
        var format = QueryFormat()
        format.arrays = .indexed
        format.keyPaths = .dots
        format.bools = .literal
        format.nulls = .dropKey
        var http = self.bare
        http.queryStringStyle = .format(format)
        var closure = self.bare
        closure.queryStringStyle = .custom { _, _ in "own" }
        let names: [(any RequestSerializer, [String])] = [
            (http, ["a[0]", "a[1]", "b.c"]), (JSONRequestSerializer(base: http), ["a[0]", "a[1]", "b.c"]),
            (closure, ["a[]", "a[]", "b[c]", "n"]),
        ]
        for (serializer, expected) in names {
            let request = try serializer.serialize(
                Request(method: .post, parsing: "http://h/"),
                parameters: ["a": [1, 2], "b": ["c": true], "n": nil],
                multipart: MultipartFormData()
            )
            guard case .multipart(let form) = request.body else {
                Issue.record("no form")
                return
            }
            #expect(form.parts.map { $0.headers[0].value } == expected.map { "form-data; name=\"\($0)\"" })
        }
    }

    @Test(arguments: ["GET", "HEAD", "get", "Head"])
    func `1.1.9 GET and HEAD are refused in any case`(_ method: String) throws {
        let method = try #require(HTTPRequest.Method(method))
        let request = try Request(method: method, parsing: "http://h/")
        #expect(throws: SerializationError(.bodyNotAllowed, reason: "")) {
            try self.bare.serialize(request, multipart: self.makeForm())
        }
    }

    @Test(arguments: [HTTPRequest.Method.delete, .put, .patch, .post])
    func `1.1.9 other methods are not`(_ method: HTTPRequest.Method) throws {
        let request = try self.bare.serialize(Request(method: method, parsing: "http://h/"), multipart: self.makeForm())
        #expect(request.headers[.contentType] == "multipart/form-data; boundary=B")
    }

    @Test func `1.1.9 a form without parts leaves what the serializer makes without parameters`() throws {
        let form = try self.bare.serialize(Request(method: .post, parsing: "http://h/"), multipart: MultipartFormData())
        #expect(form.body.data == nil)
        #expect(form.headers.isEmpty)
        let json = try JSONRequestSerializer(base: self.bare)
            .serialize(Request(method: .post, parsing: "http://h/"), parameters: [:], multipart: MultipartFormData())
        #expect(json.headers.isEmpty)
        #expect(json.body.data == nil)
    }

    @Test func `1.1.9 Content-Type is overwritten, default headers apply`() throws {
        var serializer = JSONRequestSerializer(base: self.bare)
        try serializer.setValue("v", forHeader: "X-Default")
        var request = try Request(method: .post, parsing: "http://h/")
        request.headers[.contentType] = "text/plain"
        let result = try serializer.serialize(request, multipart: self.makeForm())
        #expect(result.headers[values: .contentType] == ["multipart/form-data; boundary=B"])
        #expect(result.headers[try #require(HTTPField.Name("X-Default"))] == "v")
    }

    @Test func `1.1.9 the serializer's encoding applies to parameters`() throws {
        var serializer = self.bare
        serializer.textEncoding = .isoLatin1
        let request = try Request(method: .post, parsing: "http://h/")
        let result = try serializer.serialize(
            request,
            parameters: ["a": "é"],
            multipart: MultipartFormData(boundary: "B")
        )
        #expect(try result.body.collect().firstRange(of: Data([0xE9])) != nil)
        #expect(throws: SerializationError(.unsupportedCharset, reason: "")) {
            try serializer.serialize(request, parameters: ["a": "€"], multipart: self.makeForm())
        }
    }

    @Test(.bug(id: "F228"), arguments: ["a\u{1}b", "\u{1B}[2J", "\u{7F}"])
    func `a parameter whose name has a control character is refused beside a form, too`(_ name: String) throws {
        let request = try Request(method: .post, parsing: "http://h/")
        let serializers: [any RequestSerializer] = [self.bare, JSONRequestSerializer(base: self.bare)]
        for serializer in serializers {
            #expect(throws: SerializationError(.invalidHeader, reason: "")) {
                try serializer.serialize(
                    request,
                    parameters: .dictionary([name: "lost", "kept": "k"]),
                    multipart: self.makeForm()
                )
            }
        }
    }

    @Test func `throttle, options and refusals of the form survive the parameters`() throws {
        var form = self.makeForm()
        form.throttle(packetSize: 3, delay: .zero)
        let request = try Request(method: .post, parsing: "http://h/")
        let body = try self.bare.serialize(request, parameters: ["a": 1], multipart: form).body
        var reader = try body.makeReader()
        let count = try withUnsafeTemporaryAllocation(byteCount: 100, alignment: 1) { try reader.read(into: $0) }
        #expect(count == 3)
        #expect(throws: SerializationError(.invalidBoundary, reason: "")) {
            try self.bare.serialize(request, parameters: ["a": 1], multipart: MultipartFormData(boundary: ""))
        }
        #expect(throws: SerializationError(.invalidBoundary, reason: "")) {
            try self.bare.serialize(request, parameters: ["a": "--B"], multipart: form)
        }
    }
}
