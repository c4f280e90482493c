// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct RequestBodyTests {
    private func read(_ body: RequestBody, chunk: Int = 1_000) throws -> [UInt8] {
        var reader = try body.makeReader()
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    @Test func `knows lengths and whether it can be read again`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", [1, 2, 3])
        #expect(RequestBody.none.contentLength == 0)
        #expect(RequestBody.data(Data([1])).contentLength == 1)
        #expect(RequestBody.file(file).contentLength == 3)
        #expect(RequestBody.file(directory.file("none")).contentLength == nil)
        #expect(RequestBody.stream(length: nil, makeReader: { BytesReader([]) }).contentLength == nil)
        #expect(RequestBody.stream(length: 5, makeReader: { BytesReader([]) }).contentLength == 5)
        #expect(RequestBody.file(file).isReplayable)
        #expect(RequestBody.stream(length: 5, makeReader: { BytesReader([]) }).isReplayable)
        #expect(!RequestBody.reader(BytesReader([1]), length: 1).isReplayable)
        #expect(RequestBody.data(Data([1])).data == Data([1]))
        #expect(RequestBody.file(file).data == nil)
    }

    @Test func `reads every kind, again and again`() throws {
        let directory = try TemporaryDirectory()
        let bytes = (0..<2_500).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let slice = (Data([9, 9]) + Data(bytes) + Data([9])).dropFirst(2).dropLast()
        let bodies: [RequestBody] = [
            .data(Data(bytes)), .data(slice), .file(try directory.makeFile("f", bytes)),
            .stream(length: 2_500, makeReader: { BytesReader(bytes, most: 7) }),
            .stream(length: nil, makeReader: { BytesReader(bytes, most: 7) }),
        ]
        for body in bodies {
            for chunk in [1, 63, 2_499, 2_500, 2_501, 10_000] { #expect(try self.read(body, chunk: chunk) == bytes) }
        }
        #expect(try self.read(.none).isEmpty)
        #expect(try self.read(.file(try directory.makeFile("empty", []))).isEmpty)
    }

    @Test func `a body that can be read once says so the second time`() throws {
        let body = RequestBody.reader(BytesReader([1, 2]), length: 2)
        #expect(try self.read(body) == [1, 2])
        #expect(throws: SerializationError(.bodyNotReplayable, reason: "")) { try body.makeReader() }
    }

    @Test(arguments: [(3, 2), (3, 4), (0, 1)])
    func `a stream that breaks its promise is an error`(_ length: Int64, _ count: Int) {
        let body = RequestBody.stream(length: length, makeReader: { BytesReader(Array(repeating: 1, count: count)) })
        for chunk in [1, 3, 100] {
            #expect(throws: SerializationError(.lengthMismatch, reason: "")) { try self.read(body, chunk: chunk) }
        }
    }

    @Test func `errors of a maker and of a reader get a type`() {
        struct Failure: Error {}
        let closed = RequestBody.stream(length: nil, makeReader: { throw Failure() })
        let opening = #expect(throws: SerializationError.self) { try closed.makeReader() }
        #expect(opening?.code == .readFailed)
        #expect(opening?.underlying is Failure)
        let broken = RequestBody.stream(length: nil, makeReader: { BytesReader([1], fails: true) })
        let reading = #expect(throws: SerializationError.self) { try broken.collect() }
        #expect(reading?.code == .readFailed)
        #expect(reading?.underlying is BytesReader.Failure)
    }

    /// Fills its buffer, and claims another number of bytes.
    private struct Liar: BodyReader {
        let excess: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            self.excess > 0 ? buffer.count + self.excess : self.excess
        }
    }

    @Test(.bug(id: "F187"), arguments: [-1, 1, Int.min], [nil, 1_000] as [Int64?])
    func `a reader that claims an impossible number of bytes is an error`(_ excess: Int, _ length: Int64?) {
        let body = RequestBody.stream(length: length, makeReader: { Liar(excess: excess) })
        let error = #expect(throws: SerializationError.self) { try self.read(body, chunk: 100) }
        #expect(error?.code == .readFailed)
    }

    // MARK: Files

    private static func refusals(in directory: TemporaryDirectory) throws -> [(URL, SerializationError.Code)] {
        [
            (directory.file("none"), .fileNotFound),
            (directory.url, .notARegularFile),
            (try directory.makeFile("f", [1]).appending(path: "below"), .fileNotFound),
            (try directory.makeNode("socket", mode: S_IFSOCK), .notARegularFile),
            (try directory.makeNode("pipe", mode: S_IFIFO), .notARegularFile),
            (URL(filePath: "/dev/zero"), .notARegularFile),
            (try #require(URL(string: "http://h/f")), .invalidURL),
            (directory.file(String(repeating: "x", count: 300)), .fileNotFound),
            (try #require(URL(string: "file:///etc/passwd%00.txt")), .fileNotFound),
            // A link to itself cannot be opened by anybody, root included.
            (try directory.makeLoop("loop"), .fileNotReadable),
        ]
    }

    @Test func `1.1.9 what is not a regular file is refused, in bodies and in forms`() throws {
        let directory = try TemporaryDirectory()
        for (url, code) in try Self.refusals(in: directory) {
            let error = #expect(throws: SerializationError.self, "\(url)") { try RequestBody.file(url).makeReader() }
            #expect(error?.code == code, "\(url)")
            #expect(RequestBody.file(url).contentLength == nil)
            var form = MultipartFormData()
            let formError = #expect(throws: SerializationError.self) { try form.append(file: url, name: "n") }
            #expect(formError?.code == code)
            #expect(form.isEmpty)
        }
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `a file without permission is refused`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", [1])
        try #require(chmod(file.path(percentEncoded: false), 0) == 0)
        #expect(throws: SerializationError(.fileNotReadable, reason: "")) { try RequestBody.file(file).makeReader() }
    }

    @Test(arguments: [0, 50, 150, 5_000])
    func `a file that changes its size while it is read is an error`(size: Int) throws {
        let directory = try TemporaryDirectory()
        var reader = try RequestBody.file(try directory.makeFile("f", Array(repeating: 1, count: 200))).makeReader()
        var buffer = [UInt8](repeating: 0, count: 100)
        _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        try directory.resize("f", to: size)
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
            while try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }) > 0 {}
        }
    }

    @Test func `a file that claims no size and has bytes is an error`() {
        #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
            try RequestBody.file(URL(filePath: "/proc/self/status")).collect()
        }
    }

    @Test
    func `1.1.11 readers open a file when its turn comes, and close it after its last byte or when they are released`()
        throws
    {
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", [1, 2, 3])
        var form = MultipartFormData()
        try form.append(file: file, name: "n")
        let other = try directory.makeFile("other", Array(repeating: 5, count: 50))
        try form.append(file: other, name: "o")
        #expect(try Self.openFiles(of: file) == 0)
        var whole: (any BodyReader)? = try RequestBody.file(file).makeReader()
        #expect(try Self.openFiles(of: file) == 1, "an open file is seen")
        _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try whole?.read(into: $0) }
        whole = nil
        #expect(try Self.openFiles(of: file) == 0)

        // Of a form, the one file whose turn it is.
        var reader: MultipartBodyReader? = try form.makeReader()
        var counts: [[Int]] = []
        for _ in 0..<form.contentLength {
            _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try reader?.read(into: $0) }
            let open = [try Self.openFiles(of: file), try Self.openFiles(of: other)]
            if counts.last != open { counts.append(open) }
        }
        #expect(counts == [[0, 0], [1, 0], [0, 0], [0, 1], [0, 0]])
        reader = try form.makeReader()
        _ = try withUnsafeTemporaryAllocation(byteCount: Int(form.contentLength) - 60, alignment: 1) {
            try reader?.read(into: $0)
        }
        #expect(try Self.openFiles(of: other) == 1)
        reader = nil
        #expect(try Self.openFiles(of: other) == 0)
    }

    /// How often this process has a file open.
    private static func openFiles(of file: URL) throws -> Int {
        let path = file.path(percentEncoded: false)
        var count = 0
        for descriptor in 0..<256 {
            var target = [CChar](repeating: 0, count: 1_024)
            let length = readlink("/proc/self/fd/\(descriptor)", &target, 1_023)
            guard length > 0 else { continue }
            if String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path { count += 1 }
        }
        return count
    }

    @Test func `collect stops at its limit`() throws {
        let body = RequestBody.stream(
            length: nil,
            makeReader: { BytesReader(Array(repeating: 1, count: 101), most: 10) }
        )
        #expect(try body.collect(upTo: 101).count == 101)
        #expect(throws: SerializationError(.limitExceeded, reason: "")) { try body.collect(upTo: 100) }
    }

    @Test(.bug(id: "F659")) func `a negative length is refused`() throws {
        let body = RequestBody.stream(length: -5) { BytesReader([1, 2, 3], most: 10) }
        let error = SerializationError(.lengthMismatch, reason: "")
        #expect(throws: error) { try body.makeReader() }
        #expect(throws: error) { try body.collect() }
        let directory = try TemporaryDirectory()
        let file = try directory.makeFile("f", [])
        #expect(throws: error) { try body.write(to: file, replacesExisting: true) }
    }
}
