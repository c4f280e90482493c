// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import Foundation
import Testing

/// What parsers that nobody here wrote read in the forms we send, over a socket: names, file names and every byte.
@Suite(.timeLimit(.minutes(1)))
struct FormReadingTests {
    /// Who reads the form.
    enum Reader: String, CaseIterable, CustomTestStringConvertible {
        /// Python's `email` package, from the whole body.
        case email
        /// The same package for the heads of the parts, while the body arrives.
        case emailWhileArriving
        /// Werkzeug, which Flask uses.
        case werkzeug
        /// aiohttp's server.
        case aiohttp

        var testDescription: String { self.rawValue }

        var server: ExternalServer.Kind {
            switch self {
            case .email, .emailWhileArriving: .bodies
            case .werkzeug: .werkzeug
            case .aiohttp: .aiohttp
            }
        }

        var path: String { self == .emailWhileArriving ? "form/large" : "form" }

        /// The parts in the order in which this reader gives them.
        func ordered(_ parts: [Part]) -> [Part] {
            guard self == .werkzeug else { return parts }
            return parts.filter { $0.filename == nil } + parts.filter { $0.filename != nil }
        }
    }

    struct Form: Decodable {
        var parts: [Part]
    }

    /// A part as it was read, or as it was meant.
    struct Part: Decodable, Equatable, CustomStringConvertible {
        var name: String
        var filename: String?
        var type: String?
        var length: Int
        var digest: String
        var headers: [[String]] = []

        init(_ name: String, _ content: Data, filename: String? = nil, type: String? = nil) {
            self.name = name
            self.filename = filename
            self.type = type
            self.length = content.count
            self.digest = InteropTests.digest(content)
        }

        enum CodingKeys: String, CodingKey {
            case name, filename, type, length, digest, headers
        }

        static func == (left: Self, right: Self) -> Bool {
            (left.name, left.filename, left.type, left.length, left.digest)
                == (right.name, right.filename, right.type, right.length, right.digest)
        }

        var description: String { "\(self.name) \(self.filename ?? "-") \(self.type ?? "-") \(self.length)" }

        /// The same part with names as all readers agree on them: some turn `%22` back into a quote, and some take a
        /// backslash for an escape.
        var agreed: Part {
            func agreed(_ text: String) -> String { text.replacing("%22", with: "\"").replacing("\\", with: "") }
            var part = self
            part.name = agreed(self.name)
            part.filename = self.filename.map(agreed)
            return part
        }
    }

    /// A form, and what is to be read in it.
    struct Sample {
        var form = MultipartFormData()
        var expected: [Part] = []

        mutating func add(_ content: Data, _ name: String, filename: String? = nil, type: String? = nil) {
            self.form.append(content, name: name, filename: filename, contentType: type)
            self.expected.append(Part(Self.written(name), content, filename: filename.map(Self.written), type: type))
        }

        /// What browsers write for the characters that would end the quotes or the line; a quote is agreed on already.
        static func written(_ text: String) -> String {
            text.replacing("\r\n", with: "%0D%0A").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
        }
    }

    static let names = [
        "plain", "", "a b", "größe", "日本 😀", "a\"b", "a\r\nb", "a\nb", "a\rb", "semi;colon=x", "100%", "k[a][]",
        "back\\slash",
        "x\"; filename=\"evil", "\r\nContent-Type: evil\r\n\r\n",
    ]

    static let filenames = [
        "plain.txt", "日本語 фото.bin", "quote\".txt", "a\r\nX-Evil: 1.txt", "semi;colon, comma.txt", "../up.txt",
        "back\\slash.txt", "' single.txt", "no ending",
    ]

    private func read(_ sample: Sample, by reader: Reader) async throws -> [Part] {
        try await ExternalServer.withSession(reader.server) { http, _ in
            try await http.post(reader.path, multipart: sample.form, as: Form.self).parts
        }
    }

    @Test(arguments: Reader.allCases)
    func `fields and files have the names they were given`(_ reader: Reader) async throws {
        var sample = Sample()
        for (number, name) in Self.names.enumerated() { sample.add(Data("Grüße \(number)".utf8), name) }
        for (number, filename) in Self.filenames.enumerated() {
            sample.add(Data("\(number)".utf8), "file", filename: filename, type: "text/x-\(number)")
        }
        let parts = try await self.read(sample, by: reader)
        #expect(parts.map(\.agreed) == reader.ordered(sample.expected).map(\.agreed))
    }

    @Test(arguments: Reader.allCases)
    func `parameters are fields`(_ reader: Reader) async throws {
        var sample = Sample()
        try sample.form.append(parameters: [
            "tags": ["a", "b & c"], "filter": ["größe": "10 €", "on": true], "nothing": nil,
            "raw": .data(Data("x".utf8)),
        ])
        for (name, text) in [
            ("filter[größe]", "10 €"), ("filter[on]", "1"), ("nothing", ""), ("raw", "x"), ("tags[]", "a"),
            ("tags[]", "b & c"),
        ] { sample.expected.append(Part(name, Data(text.utf8))) }
        #expect(try await self.read(sample, by: reader) == sample.expected)
    }

    @Test(arguments: Reader.allCases)
    func `every byte of data, files and streams arrives`(_ reader: Reader) async throws {
        try await ExternalServer.withSession(reader.server) { http, server in
            var sample = Sample()
            let boundary = sample.form.boundary
            let contents = [
                Data(), Data([0]), Data("\r\n".utf8), Data("\r\n--\r\n--".utf8), Data("--".utf8),
                Data("\r\n--\(boundary.dropLast())\r\n".utf8), Data("in a line --\(boundary)-- of text".utf8),
                Data(boundary.utf8), Data((0...255).map { UInt8($0) }), patternedData(count: 65_536),
                patternedData(count: 70_001), patternedData(count: 1_000_003),
            ]
            for (number, content) in contents.enumerated() {
                sample.add(content, "data \(number)", filename: "\(number)", type: "application/x-data")
                let file = try server.write(content, as: "фото \(number).bin")
                try sample.form.append(file: file, name: "file \(number)")
                sample.expected.append(
                    Part("file \(number)", content, filename: "фото \(number).bin", type: "application/octet-stream")
                )
                try sample.form.append(
                    length: Int64(content.count),
                    name: "stream \(number)",
                    filename: "s",
                    contentType: "text/x-s"
                ) { BodiesTests.UnevenReader(data: content) }
                sample.expected.append(Part("stream \(number)", content, filename: "s", type: "text/x-s"))
            }
            let parts = try await http.post(reader.path, multipart: sample.form, as: Form.self).parts
            #expect(parts == sample.expected)
        }
    }

    @Test(arguments: Reader.allCases)
    func `header fields of one's own arrive in their order`(_ reader: Reader) async throws {
        var sample = Sample()
        let content = Data("content".utf8)
        try sample.form.append(
            content,
            headers: [
                "X-First": "Grüße; a=\"b\"", "Content-Type": "text/x-custom",
                "Content-Disposition": "form-data; name=\"custom\"; filename=\"c.txt\"", "X-Second": "2",
            ]
        )
        sample.expected.append(Part("custom", content, filename: "c.txt", type: "text/x-custom"))
        let parts = try await self.read(sample, by: reader)
        #expect(parts == sample.expected)
        let headers = parts.first?.headers ?? []
        #expect(headers.map { $0[0] } == ["Content-Disposition", "Content-Type", "X-First", "X-Second"])
        #expect(headers.dropFirst(2).map { $0[1] } == ["Grüße; a=\"b\"", "2"])
    }

    @Test(arguments: Reader.allCases)
    func `a file name that is given twice is one file name`(_ reader: Reader) async throws {
        var sample = Sample()
        sample.form.addsExtendedFilenames = true
        for filename in ["日本語 фото – 'x' (1)*.txt", "100% größe.txt", "plain.txt"] {
            sample.add(Data("x".utf8), "file", filename: filename, type: "text/plain")
        }
        let parts = try await self.read(sample, by: reader)
        #expect(parts.map(\.agreed) == sample.expected.map(\.agreed))
        let body = String(decoding: try RequestBody.multipart(sample.form).collect(), as: UTF8.self)
        #expect(body.contains("; filename*=UTF-8''100%25%20gr%C3%B6%C3%9Fe.txt\r\n"))
        #expect(body.components(separatedBy: "filename*=").count == 3, "the ASCII name is given once")
    }
}
