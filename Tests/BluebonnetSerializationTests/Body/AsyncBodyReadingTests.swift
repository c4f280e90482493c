// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

/// Bodies of asynchronous sequences that asynchronous functions read.
@Suite(.timeLimit(.minutes(1))) struct AsyncBodyReadingTests {
    @Test(.bug(id: "F372")) func `more bodies than processors are written to files at a time`() async throws {
        let directory = try TemporaryDirectory()
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let streams = (0..<count).map { _ in AsyncStream.makeStream(of: Data.self) }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for (index, (stream, _)) in streams.enumerated() {
                let pieces = stream.map { piece in
                    begin.yield()
                    return piece
                }
                let file = directory.file("\(index)")
                group.addTask { try await RequestBody.stream(pieces, length: 10).write(to: file) }
            }
            for (_, writer) in streams { writer.yield(Data("hello".utf8)) }
            var beginnings = begun.makeAsyncIterator()
            for _ in 0..<count { await beginnings.next() }
            // All of them wait now. They end in the reverse order.
            for (_, writer) in streams.reversed() {
                writer.yield(Data("world".utf8))
                writer.finish()
            }
            for try await byteCount in group { #expect(byteCount == 10) }
        }
        for index in 0..<count {
            #expect(try Data(contentsOf: directory.file("\(index)")) == Data("helloworld".utf8))
        }
    }

    @Test(.bug(id: "F372"), arguments: [0, 1])
    func `writing a body to a file ends with the task, and so does its sequence`(_ pieceCount: Int) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("a")
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // Only the task has the sequence, which ends with it also if it was cancelled before it read anything.
        let task = Self.writing(to: file) { writer in
            writer.onTermination = { _ in end.finish() }
            for _ in 0..<pieceCount { writer.yield(Data("hello".utf8)) }
        }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in ended {}
        #expect(try directory.names().isEmpty)
    }

    private static func writing(
        to file: URL,
        _ fill: (AsyncStream<Data>.Continuation) -> Void
    ) -> Task<Int64, any Error> {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        fill(writer)
        return Task { try await RequestBody.stream(stream).write(to: file) }
    }

    @Test(.bug(id: "F372")) func `a form is written while its parts have nothing`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("a")
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        var form = MultipartFormData(boundary: "B")
        try form.append(length: 10, name: "a", isReplayable: false) { try RequestBody.stream(stream).makeReader() }
        let body = form
        async let byteCount = body.write(to: file)
        for text in ["hello", "world"] {
            for _ in 0..<100 { await Task.yield() }
            writer.yield(Data(text.utf8))
        }
        #expect(try await byteCount == form.contentLength)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\r\n\r\nhelloworld\r\n--B--"))
        writer.finish()
    }

    @Test(.bug(id: "F371")) func `a sequence with another number of bytes fails, whenever they come`() async throws {
        let directory = try TemporaryDirectory()
        // More bytes are noticed if they are there with the last declared ones: nobody waits for later ones.
        for pieces in [["hell"], ["he", "l"], ["hello!"], ["he", "", "llo!"]] {
            let stream = AsyncStream<Data> { writer in
                for piece in pieces { writer.yield(Data(piece.utf8)) }
                writer.finish()
            }
            await #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
                try await RequestBody.stream(stream, length: 5).write(to: directory.file("a"))
            }
        }
    }

    @Test(.bug(id: "F441"), arguments: [0, 10] as [Int64])
    func `a body is whole with its declared bytes`(_ length: Int64) async throws {
        let directory = try TemporaryDirectory()
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        defer { writer.finish() }
        if length > 0 { for text in ["hello", "world"] { writer.yield(Data(text.utf8)) } }
        let body = RequestBody.stream(stream, length: length)
        #expect(try await body.write(to: directory.file("a")) == length)
        #expect(try Data(contentsOf: directory.file("a")) == Data("helloworld".utf8).prefix(Int(length)))
    }

    @Test(.bug(id: "F504")) func `more bytes in the piece of the last declared byte fail, every time`() async throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<100 {
            let (stream, writer) = AsyncStream.makeStream(of: Data.self)
            for text in ["hello", "world!"] { writer.yield(Data(text.utf8)) }
            writer.finish()
            await #expect(throws: SerializationError(.lengthMismatch, reason: "")) {
                try await RequestBody.stream(stream, length: 10).write(to: directory.file("a"))
            }
        }
    }

    @Test(.bug(id: "F504"), arguments: [0, 10] as [Int64])
    func `no more than the declared bytes are given, whether or not more pieces are seen`(_ length: Int64) async throws
    {
        let directory = try TemporaryDirectory()
        for number in 0..<100 {
            let (stream, writer) = AsyncStream.makeStream(of: Data.self)
            let file = directory.file("\(number)")
            for text in ["hello", "world", "!"] { writer.yield(Data(text.utf8)) }
            writer.finish()
            do {
                #expect(try await RequestBody.stream(stream, length: length).write(to: file) == length)
            } catch let error as SerializationError {
                #expect(error.code == .lengthMismatch)
            }
        }
    }

    @Test(.bug(id: "F441")) func `the end of a body of declared length is readable at once`() async throws {
        var reader = try RequestBody.stream(length: 5) { Endless() }.makeReader()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(reader.isReadable)
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 5)
        #expect(reader.isReadable)
        let (notices, notify) = AsyncStream.makeStream(of: Void.self)
        reader.whenReadable { notify.finish() }
        for await _ in notices {}
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 0)
    }

    /// Five bytes, after which it has nothing and does not end.
    private struct Endless: BodyReader {
        var hasBytes = true

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            guard self.hasBytes else { throw CancellationError() }
            self.hasBytes = false
            buffer.copyBytes(from: "hello".utf8)
            return 5
        }

        var isReadable: Bool { self.hasBytes }

        func whenReadable(_ notify: @escaping @Sendable () -> Void) {
            if self.hasBytes { notify() }
        }
    }
}
