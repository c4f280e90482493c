// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

/// Whatever text a user passes as a name, the bytes that go out have the lines they ought to have and no others.
@Suite struct MultipartInjectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let written: String
        var testDescription: String { self.text.debugDescription }
    }

    static let cases: [Case] = [
        Case(text: "plain", written: "plain"),
        Case(text: "", written: ""),
        Case(text: "a\rb", written: "a%0Db"),
        Case(text: "a\nb", written: "a%0Ab"),
        Case(text: "a\r\nX-Evil: 1", written: "a%0D%0AX-Evil: 1"),
        Case(text: "a\r\n\r\nbody", written: "a%0D%0A%0D%0Abody"),
        Case(text: "a\u{0}b", written: "a%00b"),
        Case(text: "a\"; filename=\"evil", written: "a%22; filename=%22evil"),
        Case(text: "a\\", written: "a\\"),
        Case(text: "a'b;c=d", written: "a'b;c=d"),
        Case(text: "100%", written: "100%"),
        Case(text: "naïve 日本 😀", written: "naïve 日本 😀"),
        Case(text: "../../etc/passwd", written: "../../etc/passwd"),
        Case(text: "\"", written: "%22"),
        Case(text: "--B--", written: "--B--"),
    ]

    private func lines(_ form: MultipartFormData) throws -> [String] {
        let text = String(decoding: try RequestBody.multipart(form).collect(), as: UTF8.self)
        // By scalars: Swift takes CR LF for one character, and "\n" for another.
        return text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }
            .map { String($0.last == "\r" ? $0.dropLast() : $0) }
    }

    @Test(arguments: Self.cases)
    func `1.1.9 names of fields`(_ sample: Case) throws {
        var form = MultipartFormData(boundary: "B")
        form.append("v", name: sample.text)
        #expect(
            try self.lines(form) == [
                "--B", "Content-Disposition: form-data; name=\"\(sample.written)\"", "", "v", "--B--", "",
            ]
        )
    }

    @Test(arguments: Self.cases)
    func `1.1.9 names of files`(_ sample: Case) throws {
        var form = MultipartFormData(boundary: "B")
        form.append(Data("v".utf8), name: "n", filename: sample.text, contentType: "text/plain")
        #expect(
            try self.lines(form) == [
                "--B", "Content-Disposition: form-data; name=\"n\"; filename=\"\(sample.written)\"",
                "Content-Type: text/plain", "",
                "v", "--B--", "",
            ]
        )
    }

    @Test(arguments: Self.cases)
    func `1.1.9 keys of parameters`(_ sample: Case) throws {
        var form = MultipartFormData(boundary: "B")
        try form.append(parameters: ["k": .dictionary([sample.text: "v"])])
        #expect(try self.lines(form)[1] == "Content-Disposition: form-data; name=\"k[\(sample.written)]\"")
        #expect(try self.lines(form).count == 6)
    }

    @Test(.bug(id: "F228"), arguments: ["a\u{1}b", "a\u{1F}", "\u{7F}"])
    func `a name with another control character is refused, and parameters leave the form unchanged`(
        _ name: String
    ) throws {
        var form = MultipartFormData(boundary: "B")
        form.append("v", name: "first")
        let before = try self.lines(form)
        #expect(throws: SerializationError(.invalidHeader, reason: "")) {
            try form.append(parameters: .dictionary(["a": "kept", name: "lost"]))
        }
        #expect(form.parts.count == 1)
        #expect(try self.lines(form) == before)
        form.append("v", name: name)
        #expect(throws: SerializationError(.invalidHeader, reason: "")) { try form.makeReader() }
    }

    @Test(arguments: ["a\rb", "a\nb", "text/plain\r\nX-Evil: 1", "a\u{0}", "\u{7F}"])
    func `1.1.9 content types are refused`(_ contentType: String) throws {
        var form = MultipartFormData(boundary: "B")
        form.append(Data(), name: "n", contentType: contentType)
        #expect(throws: SerializationError(.invalidHeader, reason: "")) { try form.makeReader() }
        let directory = try TemporaryDirectory()
        var files = MultipartFormData()
        #expect(throws: SerializationError(.invalidHeader, reason: "")) {
            try files.append(file: directory.makeFile("f", []), name: "n", contentType: contentType)
        }
        #expect(throws: SerializationError(.invalidHeader, reason: "")) {
            try files.append(length: 0, name: "n", contentType: contentType) { BytesReader([]) }
        }
        #expect(files.isEmpty)
    }

    @Test func `names of real files go through the same escape`() throws {
        let directory = try TemporaryDirectory()
        var form = MultipartFormData(boundary: "B")
        try form.append(file: directory.makeFile("a\"b\r\nX: y.png", [120]), name: "n")
        #expect(
            try self.lines(form) == [
                "--B", "Content-Disposition: form-data; name=\"n\"; filename=\"a%22b%0D%0AX: y.png\"",
                "Content-Type: image/png", "",
                "x", "--B--", "",
            ]
        )
    }
}
