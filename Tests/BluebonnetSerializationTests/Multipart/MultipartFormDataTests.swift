// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct MultipartFormDataTests {
    static func text(_ form: MultipartFormData) throws -> String {
        String(decoding: try RequestBody.multipart(form).collect(), as: UTF8.self)
    }

    @Test func `1.1.10 writes the wire format byte by byte`() throws {
        var form = MultipartFormData(boundary: "Boundary+0123456789ABCDEF")
        form.append(Data("one".utf8), name: "a")
        form.append(Data("two".utf8), name: "b", filename: "b.txt", contentType: "text/plain")
        let expected = """
            --Boundary+0123456789ABCDEF\r
            Content-Disposition: form-data; name="a"\r
            \r
            one\r
            --Boundary+0123456789ABCDEF\r
            Content-Disposition: form-data; name="b"; filename="b.txt"\r
            Content-Type: text/plain\r
            \r
            two\r
            --Boundary+0123456789ABCDEF--\r

            """
        #expect(try Self.text(form) == expected)
        #expect(form.contentLength == Int64(expected.utf8.count))
        #expect(form.contentType == "multipart/form-data; boundary=Boundary+0123456789ABCDEF")
        #expect(form.isReplayable)
    }

    @Test func `a text has the content type that it is given`() throws {
        var form = MultipartFormData(boundary: "b")
        form.append("{}", name: "map", contentType: "application/json")
        let head = "--b\r\nContent-Disposition: form-data; name=\"map\"\r\nContent-Type: application/json\r\n\r\n"
        #expect(try Self.text(form) == head + "{}\r\n--b--\r\n")
    }

    @Test func `1.1.10 a boundary has 25 bytes, is random and needs no quotes`() {
        var boundaries: Set<String> = []
        for _ in 0..<1_000 {
            let form = MultipartFormData()
            #expect(form.boundary.utf8.count == 25)
            #expect(form.boundary.hasPrefix("Boundary+"))
            #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
            boundaries.insert(form.boundary)
        }
        #expect(boundaries.count == 1_000)
    }

    @Test(arguments: [
        ("simple", "simple"), ("a b", "\"a b\""), ("x:y", "\"x:y\""), ("a=b/c?", "\"a=b/c?\""),
        ("gc0pJq0M:08jU534c0p", "\"gc0pJq0M:08jU534c0p\""),
    ])
    func `a given boundary is quoted where it has to be`(_ boundary: String, _ parameter: String) throws {
        var form = MultipartFormData(boundary: boundary)
        #expect(form.contentType == "multipart/form-data; boundary=\(parameter)")
        form.append("v", name: "n")
        #expect(try Self.text(form).hasPrefix("--\(boundary)\r\n"))
    }

    @Test(arguments: ["", "a ", "é", "a\r\nb", "a\"b", "a;b", String(repeating: "x", count: 71), "a\u{0}b"])
    func `refuses a boundary that is not legal`(_ boundary: String) {
        var form = MultipartFormData(boundary: boundary)
        form.append("v", name: "n")
        #expect(throws: SerializationError(.invalidBoundary, reason: "")) { try form.makeReader() }
    }

    @Test func `refuses a given boundary that occurs in the data`() throws {
        var form = MultipartFormData(boundary: "XX")
        form.append("fine -XX", name: "a")
        _ = try form.makeReader()
        form.append("before\r\n--XX after", name: "b")
        #expect(throws: SerializationError(.invalidBoundary, reason: "")) { try form.makeReader() }
    }

    @Test func `1.1.9 a form without parts has no bytes`() throws {
        let form = MultipartFormData()
        #expect(form.contentLength == 0)
        #expect(try RequestBody.multipart(form).collect().isEmpty)
    }

    @Test func `1.1.9 parameters become fields with unescaped names, data raw, null empty`() throws {
        var form = MultipartFormData(boundary: "B")
        try form.append(parameters: [
            "a": ["b": [1, true]], "c": nil, "d": .data(Data([0, 255])), "e": 1.0, "é": .set([2, 1]),
        ])
        #expect(form.parts.count == 7)
        var names: [String] = []
        for part in form.parts {
            names.append(part.headers[0].value)
            #expect(part.headers.count == 1)
        }
        #expect(names == ["a[b][]", "a[b][]", "c", "d", "e", "é", "é"].map { "form-data; name=\"\($0)\"" })
        let bytes = try RequestBody.multipart(form).collect()
        #expect(bytes.firstRange(of: Data("\"d\"\r\n\r\n".utf8) + Data([0, 255]) + Data("\r\n--B\r\n".utf8)) != nil)
        #expect(bytes.firstRange(of: Data("\"c\"\r\n\r\n\r\n--B\r\n".utf8)) != nil)
        #expect(bytes.firstRange(of: Data("\"e\"\r\n\r\n1\r\n--B".utf8)) != nil)
    }

    @Test func `1.1.9 parameters that cannot be represented are an error, not dropped`() throws {
        var form = MultipartFormData()
        let error = #expect(throws: SerializationError.self) {
            try form.append(parameters: ["a": "fine", "b": ["€"]], encoding: .isoLatin1)
        }
        #expect(error?.code == .unsupportedCharset)
        #expect(error?.codingPath == ["b", "0"])
        #expect(form.isEmpty)
        #expect(throws: SerializationError(.invalidParameters, reason: "")) { try form.append(parameters: [1]) }
        try form.append(parameters: ["a": "é"], encoding: .isoLatin1)
        #expect(form.parts[0].contentLength == 1)
    }

    @Test func `custom headers come in a fixed order`() throws {
        var form = MultipartFormData(boundary: "B")
        try form.append(
            Data("x".utf8),
            headers: [
                "X-Second": "2", "content-type": "text/plain", "X-Third": "é", "CONTENT-DISPOSITION": "attachment",
            ]
        )
        #expect(
            try Self.text(form)
                == "--B\r\nCONTENT-DISPOSITION: attachment\r\ncontent-type: text/plain\r\nX-Second: 2\r\nX-Third: é\r\n\r\nx\r\n--B--\r\n"
        )
    }

    @Test(arguments: [
        ("", "v"), ("a b", "v"), ("a:", "v"), ("é", "v"), ("a\r\nb", "v"), ("a", "v\r\nX: y"), ("a", "v\n"),
        ("a", "v\r"),
        ("a", "v\u{0}"), ("a", "\u{7F}"), ("a", "\u{1B}"),
    ])
    func `refuses custom headers that would break the part`(_ name: String, _ value: String) throws {
        var form = MultipartFormData()
        #expect(throws: SerializationError(.invalidHeader, reason: "")) {
            try form.append(Data(), headers: .init(dictionaryLiteral: (name, value)))
        }
        #expect(form.isEmpty)
    }

    @Test func `gives a file name that is not ASCII twice on request`() throws {
        var form = MultipartFormData(boundary: "B")
        form.append(Data(), name: "f", filename: "naïve \"1\".txt")
        form.addsExtendedFilenames = true
        form.append(Data(), name: "f", filename: "naïve \"1\".txt")
        form.append(Data(), name: "f", filename: "plain.txt")
        #expect(
            form.parts.map { $0.headers[0].value } == [
                "form-data; name=\"f\"; filename=\"naïve %221%22.txt\"",
                "form-data; name=\"f\"; filename=\"naïve %221%22.txt\"; filename*=UTF-8''na%C3%AFve%20%221%22.txt",
                "form-data; name=\"f\"; filename=\"plain.txt\"",
            ]
        )
    }

    @Test func `lengths go beyond 4 GiB and stop at 2^63`() throws {
        var form = MultipartFormData(boundary: "B")
        try form.append(length: 5_000_000_000, name: "a") { BytesReader([]) }
        try form.append(length: 5_000_000_000, name: "b") { BytesReader([]) }
        let framing = "--B\r\n\r\n\r\n\r\n--B\r\n\r\n\r\n\r\n--B--\r\n".utf8.count
        let headers = 2 * "Content-Disposition: form-data; name=\"a\"".utf8.count
        #expect(form.contentLength == 10_000_000_000 + Int64(framing + headers))
        #expect(throws: SerializationError(.limitExceeded, reason: "")) {
            try form.append(length: .max, name: "c") { BytesReader([]) }
        }
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
            try form.append(length: -1, name: "c") { BytesReader([]) }
        }
        #expect(form.parts.count == 2)
    }

    @Test func `a file of more than 4 GiB counts in full`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("sparse.bin", [])
        try directory.resize("sparse.bin", to: 5 << 30)
        #expect(RequestBody.file(file).contentLength == 5 << 30)
        var form = MultipartFormData(boundary: "B")
        try form.append(file: file, name: "f", filename: "f", contentType: "a/b")
        let head = "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\nContent-Type: a/b\r\n\r\n"
        #expect(form.contentLength == 5 << 30 + Int64(head.utf8.count + "\r\n--B--\r\n".utf8.count))
    }

    @Test func `1.1.9 header fields that are built at run time are written, and checked`() throws {
        var headers = HTTPFields()
        let name = try #require(HTTPField.Name("X-" + ["Own"].joined()))
        headers[name] = "é"
        headers[.contentDisposition] = "form-data; name=\"n\""
        headers[.contentType] = "text/plain"
        var form = MultipartFormData(boundary: "B")
        try form.append(Data("v".utf8), headers: headers)
        try form.append(Data("w".utf8), headers: [.contentDisposition: "form-data; name=\"m\""])
        let text = """
            --B\r
            Content-Disposition: form-data; name="n"\r
            Content-Type: text/plain\r
            X-Own: é\r
            \r
            v\r
            --B\r
            Content-Disposition: form-data; name="m"\r
            \r
            w\r
            --B--\r

            """
        #expect(String(decoding: try RequestBody.multipart(form).collect(), as: UTF8.self) == text)
        headers[name] = "a\r\nb\u{0}"
        try form.append(Data(), headers: headers)
        #expect(form.parts.last?.headers.last?.value == "a  b")
    }
}
