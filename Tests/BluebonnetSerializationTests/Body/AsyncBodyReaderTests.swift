// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BluebonnetSerialization

@Suite(.timeLimit(.minutes(1))) struct AsyncBodyReaderTests {
    private struct Broken: Error {}

    /// A sequence of pieces that counts those that were taken.
    private struct Counted: AsyncSequence, Sendable {
        let pieces: [[UInt8]]
        var error: Broken?
        let taken: @Sendable (Int) -> Void

        struct AsyncIterator: AsyncIteratorProtocol {
            let base: Counted
            var number = 0

            mutating func next() async throws -> [UInt8]? {
                guard self.number < self.base.pieces.count else {
                    if let error = self.base.error { throw error }
                    return nil
                }
                self.number += 1
                self.base.taken(self.number)
                return self.base.pieces[self.number - 1]
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: self) }
    }

    private static func read(_ reader: some BodyReader, by size: Int) throws -> [UInt8] {
        var (reader, bytes, buffer) = (reader, [UInt8](), [UInt8](repeating: 0, count: size))
        while true {
            let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Runs a function that blocks on a thread of its own: those of the tests may be all that the sequence has to run on.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Waits until a condition holds.
    private static func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    @Test(arguments: [1, 2, 7, 64, 1_000], [0, 1, 3, 100])
    func `any pieces give the same bytes in any buffer`(_ size: Int, _ pieceSize: Int) async throws {
        let bytes = (0..<500).map { UInt8($0 % 251) }
        var pieces: [[UInt8]] = pieceSize == 0 ? [[], bytes, []] : []
        if pieceSize > 0 {
            for start in stride(from: 0, to: 500, by: pieceSize) {
                pieces += [Array(bytes[start..<min(start + pieceSize, 500)]), []]
            }
        }
        let reader = AsyncBodyReader(Counted(pieces: pieces) { _ in })
        #expect(try await Self.onThread { try Self.read(reader, by: size) } == bytes)
    }

    @Test func `an error comes after the bytes before it, and again`() async throws {
        let reader = AsyncBodyReader(Counted(pieces: [[1, 2]], error: Broken()) { _ in })
        var buffer = [UInt8](repeating: 0, count: 10)
        await Self.until { reader.isReadable }
        #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 2)
        for _ in 0..<2 {
            await Self.until { reader.isReadable }
            #expect(throws: Broken.self) { try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
        }
    }

    @Test func `the sequence is not iterated before the first use, and one piece ahead`() async throws {
        let taken = Mutex(0)
        let pieces = (0..<100).map { [UInt8($0)] }
        let reader = AsyncBodyReader(Counted(pieces: pieces) { number in taken.withLock { $0 = number } })
        for _ in 0..<100 { await Task.yield() }
        #expect(taken.withLock { $0 } == 0)
        var buffer: [UInt8] = [0]
        for number in 0..<50 {
            await Self.until { reader.isReadable }
            #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 1)
            #expect(buffer == [UInt8(number)])
            // The one that was read, and the one that waits.
            #expect(taken.withLock { $0 } <= number + 2)
        }
    }

    @Test func `it is told when there is something to read`() async throws {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        let reader = AsyncBodyReader(stream)
        #expect(!reader.isReadable)
        let calls = Mutex(0)
        reader.whenReadable { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 0)
        writer.yield(Data([5]))
        await Self.until { calls.withLock { $0 } == 1 }
        #expect(reader.isReadable)
        // At once, because there is something.
        reader.whenReadable { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
        writer.finish()
        #expect(try await Self.onThread { try Self.read(reader, by: 10) } == [5])
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func `a reader that is released cancels a sequence that has nothing`() async throws {
        let (stream, writer) = AsyncStream.makeStream(of: Data.self)
        let isOver = Mutex(false)
        writer.onTermination = { _ in isOver.withLock { $0 = true } }
        do {
            let reader = AsyncBodyReader(stream)
            #expect(!reader.isReadable)
        }
        await Self.until { isOver.withLock { $0 } }
    }

    /// Pieces without an end; it tells when its iterator is gone.
    private struct Endless: AsyncSequence, Sendable {
        final class Token: Sendable {
            let isGone: @Sendable () -> Void
            init(_ isGone: @escaping @Sendable () -> Void) { self.isGone = isGone }
            deinit { self.isGone() }
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            let token: Token
            mutating func next() async -> [UInt8]? { [1] }
        }

        let isGone: @Sendable () -> Void

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(token: Token(self.isGone)) }
    }

    @Test func `a reader that is released ends a sequence whose piece nobody takes`() async throws {
        let isOver = Mutex(false)
        do {
            let reader = AsyncBodyReader(Endless { isOver.withLock { $0 = true } })
            await Self.until { reader.isReadable }
            #expect(try Self.bytes(of: reader, 10) == 1)
            await Self.until { reader.isReadable }
            #expect(!isOver.withLock { $0 })
        }
        await Self.until { isOver.withLock { $0 } }
    }

    private static func bytes(of reader: some BodyReader, _ size: Int) throws -> Int {
        var (reader, buffer) = (reader, [UInt8](repeating: 0, count: size))
        return try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    }

    @Test func `a sequence is read once, unless it says that it can be read again`() async throws {
        let sequence = Counted(pieces: [[1], [2]]) { _ in }
        let once = RequestBody.stream(sequence, length: 2)
        #expect(!once.isReplayable)
        #expect(once.contentLength == 2)
        _ = try once.makeReader()
        #expect(throws: SerializationError.self) { try once.makeReader() }
        let again = RequestBody.stream(sequence, isReplayable: true)
        #expect(again.isReplayable)
        #expect(again.contentLength == nil)
        for _ in 0..<2 { #expect(try await Self.onThread { try again.collect() } == Data([1, 2])) }
    }
}
