// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The reader of a request body on the thread pool, and the buffers that are exchanged between it and the connection.
///
/// A buffer belongs to one side at a time. The thread that fills it takes it from here, and the loop that has written it gives it back:
/// with another reference to it, it would be copied before it is filled.
final class RequestBodySource: Sendable {
    /// What a read has brought.
    enum Step: Sendable {
        case bytes(ByteBuffer, contentByteCount: Int)
        /// The reader wants its next turn after this time; always the last step of a turn.
        case pause(Duration)
        /// There is nothing left to read.
        case end
        case failed(any Error)
    }

    /// The bytes asked of a reader at a time.
    static let readSize = 128 * 1024
    /// The most reads of one turn: enough that the thread and the loop seldom wait for one another.
    private static let turnLength = 4
    /// Room in front of the bytes for a chunk-size line: eight digits, CR, LF.
    ///
    /// The rest keeps the bytes at an even address, without which the system took half as much time again to copy them in and out.
    private static let prefixSize = 16
    /// The buffers that are kept: those of a turn, and those that the channel holds when it has no more room.
    private static let spareLimit = 8

    private struct State {
        var reader: (any TransportBodyReader)?
        var spare = [ByteBuffer]()
        var isStopped = false
    }

    private let framesChunks: Bool
    private let makeReader: @Sendable () throws -> any TransportBodyReader
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - framesChunks: Whether the bytes are handed out as chunks of HTTP/1.1.
    ///   - makeReader: Makes the reader; called in the first turn.
    init(framesChunks: Bool, makeReader: @escaping @Sendable () throws -> any TransportBodyReader) {
        self.framesChunks = framesChunks
        self.makeReader = makeReader
    }

    /// Reads a few pieces, one turn at a time; blocks where the reader does.
    ///
    /// - Parameters:
    ///   - room: The bytes that are wanted; one piece is read even where there is less room.
    ///   - deliver: Takes each piece when it is there, and whether it is the turn's last.
    func takeTurn(room: Int, _ deliver: (Step, _ isLast: Bool) -> Void) {
        do {
            let (kept, isStopped) = self.state.withLock { ($0.reader.take(), $0.isStopped) }
            // The exchange may have ended since the turn was asked for: another reader would begin at the first byte again.
            guard !isStopped else { return }
            var reader = try kept ?? self.makeReader()
            for left in (0..<Self.pieceCount(room)).reversed() {
                guard var buffer = self.takeBuffer() else { return }
                let count = try self.fill(&buffer, from: &reader)
                guard count > 0 else { return deliver(.end, true) }
                let delay = reader.delayBeforeNextRead
                let isLast = left == 0 || delay > .zero
                if isLast { self.keep(reader) }
                deliver(.bytes(buffer, contentByteCount: count), isLast && delay <= .zero)
                if delay > .zero { return deliver(.pause(delay), true) }
            }
        } catch {
            deliver(.failed(error), true)
        }
    }

    /// Takes a buffer back whose bytes have been written.
    func recycle(_ buffer: ByteBuffer) {
        self.state.withLock { state in
            if state.spare.count < Self.spareLimit, !state.isStopped { state.spare.append(buffer) }
        }
    }

    /// Releases everything; a turn that is under way ends with the read that it is at.
    func stop() {
        let old = self.state.withLock { state in
            let old = state
            state = State(isStopped: true)
            return old
        }
        // A reader may do anything when it is released: that must not happen inside the lock.
        _ = old
    }

    private static func pieceCount(_ room: Int) -> Int {
        Swift.min(Swift.max(room / Self.readSize, 1), Self.turnLength)
    }

    /// An empty buffer, nil when no more is wanted.
    private func takeBuffer() -> ByteBuffer? {
        var buffer = self.state.withLock { $0.isStopped ? nil : $0.spare.popLast() ?? ByteBuffer() }
        // In place: a second reference, which a debug build keeps to the end of a scope, would make this another buffer.
        buffer?.clear(minimumCapacity: Self.prefixSize + Self.readSize + 2)
        return buffer
    }

    private func keep(_ reader: any TransportBodyReader) {
        self.state.withLock { state in
            if !state.isStopped { state.reader = reader }
        }
    }

    /// Reads once into the empty buffer, makes the bytes a chunk where they are to be one, and returns how many were read.
    private func fill(_ buffer: inout ByteBuffer, from reader: inout any TransportBodyReader) throws -> Int {
        buffer.moveWriterIndex(to: Self.prefixSize)
        buffer.moveReaderIndex(to: Self.prefixSize)
        let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.readSize) { space in
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(Self.readSize)))
            guard (0...Self.readSize).contains(count) else { throw ReaderCountError(count: count) }
            return count
        }
        if self.framesChunks, count > 0 { Self.frame(&buffer, count: count) }
        return count
    }

    /// Makes the bytes a chunk (RFC 9112 section 7.1); the room in front holds the size line.
    private static func frame(_ buffer: inout ByteBuffer, count: Int) {
        let line = String(count, radix: 16) + "\r\n"
        buffer.moveReaderIndex(to: Self.prefixSize - line.utf8.count)
        buffer.setString(line, at: buffer.readerIndex)
        buffer.writeStaticString("\r\n")
    }

    /// A reader said that it had written more bytes than there was room for, or fewer than none.
    private struct ReaderCountError: Error {
        let count: Int
    }
}
