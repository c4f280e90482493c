// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct BodyWritingTests {
    private func makeForm() throws -> MultipartFormData {
        var form = MultipartFormData(boundary: "B")
        form.append(Data(repeating: 7, count: 200_000), name: "blob")
        try form.append(length: 100_000, name: "stream") { BytesReader(Array(repeating: 8, count: 100_000), most: 999) }
        return form
    }

    @Test func `1.1.11 writes all bytes to a file and leaves nothing beside it`() throws {
        let directory = try TemporaryDirectory()
        let form = try self.makeForm()
        let file = directory.file("out")
        #expect(try form.write(to: file) == form.contentLength)
        #expect(try Data(contentsOf: file) == RequestBody.multipart(form).collect())
        #expect(try directory.names() == ["out"])
        #expect(try RequestBody.data(Data()).write(to: directory.file("empty")) == 0)
        #expect(try directory.names() == ["empty", "out"])
    }

    @Test func `1.1.11 does not replace a file unless it is told to`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("out", [1, 2, 3])
        #expect(throws: SerializationError(.fileNotWritable, reason: "")) { try self.makeForm().write(to: file) }
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        let form = try self.makeForm()
        try form.write(to: file, replacesExisting: true)
        #expect(try Int64(Data(contentsOf: file).count) == form.contentLength)
        #expect(try directory.names() == ["out"])
    }

    @Test func `1.1.11 a body that fails leaves no file and keeps the old one`() throws {
        let directory = try TemporaryDirectory()
        var form = try self.makeForm()
        try form.append(length: 10, name: "culprit") { BytesReader([1]) }
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) { try form.write(to: directory.file("out")) }
        #expect(try directory.names().isEmpty)
        let old = try directory.makeFile("old", [1])
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
            try form.write(to: old, replacesExisting: true)
        }
        #expect(try Data(contentsOf: old) == Data([1]))
        #expect(try directory.names() == ["old"])
    }

    @Test func `1.1.11 a place that cannot be written to is an error`() throws {
        let directory = try TemporaryDirectory()
        let form = try self.makeForm()
        let nowhere = directory.url.appending(path: "missing/out")
        #expect(throws: SerializationError(.fileNotWritable, reason: "")) { try form.write(to: nowhere) }
        #expect(throws: SerializationError(.fileNotWritable, reason: "")) {
            try form.write(to: directory.url, replacesExisting: true)
        }
        #expect(throws: SerializationError(.fileNotWritable, reason: "")) {
            try form.write(to: URL(filePath: "/proc/bluebonnet"))
        }
        #expect(throws: SerializationError(.invalidURL, reason: "")) {
            try form.write(to: #require(URL(string: "http://h/f")))
        }
    }

    @Test func `a device is not replaced`() throws {
        #expect(throws: SerializationError(.fileNotWritable, reason: "")) {
            try self.makeForm().write(to: URL(filePath: "/dev/full"), replacesExisting: true)
        }
    }
}
