// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct BodyWritingTests {
    fileprivate func makeForm() throws -> MultipartFormData {
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

    // A limit on the size of files is a disk that gets full: the write that crosses it is short, the next one fails. It counts for the
    // whole process, so these run in processes of their own.

    @Test func `1.1.11 a short write on a full disk is an error, and leaves no file`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            try directory.limitFileSize(to: 70_000)
            // The last write is the one that is cut: taken for a whole one, it would end in a file of 70,000 bytes.
            let body = RequestBody.data(Data(repeating: 7, count: 70_100))
            #expect(throws: SerializationError(.fileNotWritable, reason: "")) {
                try body.write(to: directory.file("out"))
            }
            #expect(try directory.names() == [])
            #expect(try RequestBody.data(Data(count: 70_000)).write(to: directory.file("fits")) == 70_000)
            #expect(try Data(contentsOf: directory.file("fits")).count == 70_000)
        }
    }

    @Test func `1.1.11 a full disk leaves the file that was there, and names it`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let old = try directory.makeFile("old", [1, 2, 3])
            try directory.limitFileSize(to: 10_000)
            let form = try BodyWritingTests().makeForm()
            let error = #expect(throws: SerializationError.self) { try form.write(to: old, replacesExisting: true) }
            #expect(error?.code == .fileNotWritable)
            #expect(error?.reason.contains("“old”") == true)
            await #expect(throws: SerializationError(.fileNotWritable, reason: "")) {
                try await form.write(to: old, replacesExisting: true)
            }
            #expect(try Data(contentsOf: old) == Data([1, 2, 3]))
            #expect(try directory.names() == ["old"])
        }
    }

    @Test func `1.1.11 the async form writes the same bytes`() async throws {
        let directory = try TemporaryDirectory()
        let form = try self.makeForm()
        let file = directory.file("out")
        #expect(try await form.write(to: file) == form.contentLength)
        #expect(try Data(contentsOf: file) == RequestBody.multipart(form).collect())
        await #expect(throws: SerializationError(.fileNotWritable, reason: "")) { try await form.write(to: file) }
        #expect(try await RequestBody.data(Data([1])).write(to: file, replacesExisting: true) == 1)
        #expect(try directory.names() == ["out"])
    }

    @Test func `1.1.11 a cancelled writing leaves no file`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("out")
        let body = RequestBody.stream(length: nil, makeReader: { EndlessReader() })
        let task = Task { try await body.write(to: file) }
        while try directory.names().isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try directory.names() == [])
    }

    private func makeThrottledForm() throws -> MultipartFormData {
        var form = try self.makeForm()
        // A pause of an hour before every read but the first would be seen.
        form.throttle(packetSize: 1_000, delay: .seconds(3_600))
        return form
    }

    @Test func `1.1.11 writing and collecting do not apply the throttle`() throws {
        let directory = try TemporaryDirectory()
        let form = try self.makeThrottledForm()
        #expect(try form.write(to: directory.file("form")) == form.contentLength)
        #expect(try RequestBody.multipart(form).write(to: directory.file("body")) == form.contentLength)
        #expect(try RequestBody.multipart(form).collect().count == Int(form.contentLength))
    }

    @Test func `1.1.11 the async form of writing does not apply the throttle`() async throws {
        let directory = try TemporaryDirectory()
        let form = try self.makeThrottledForm()
        #expect(try await RequestBody.multipart(form).write(to: directory.file("out")) == form.contentLength)
    }
}

/// Gives zeros without end.
private struct EndlessReader: BodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer.count
    }
}
