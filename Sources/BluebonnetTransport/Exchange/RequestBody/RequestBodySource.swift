// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The reader of a request body on the thread pool, and the buffers that it exchanges with the connection.
///
/// A buffer belongs to one side at a time. The thread that fills it takes it from here, and the loop that has written
/// it returns it: if a second reference existed, filling it would copy it.
final class RequestBodySource: Sendable {
    /// The result of one read.
    enum Step: Sendable {
        case bytes(ByteBuffer, contentByteCount: Int)
        /// The reader requests this delay before its next turn; always the last step of a turn.
        case pause(Duration)
        /// The reader has nothing yet; always the last step of a turn.
        case wait
        /// The body is complete.
        case end
        case failed(any Error)
    }

    /// The number of bytes requested from a reader at a time.
    static let readSize = 128 * 1024
    /// The maximum number of reads per turn: enough that the thread and the loop seldom wait for one another.
    private static let turnLength = 4
    /// Space before the bytes for a chunk-size line: eight digits, CR, LF.
    ///
    /// The rest aligns the bytes; at an unaligned address the system took half as long again to copy them in and out.
    private static let prefixSize = 16
    /// The number of buffers kept: those of a turn, and those that a full channel holds.
    private static let spareLimit = 8

    private struct State {
        var reader: (any TransportBodyReader)?
        var spare = [ByteBuffer]()
        var isStopped = false
    }

    private let body: TransportBody
    private let framesChunks: Bool
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - body: The body; its reader is made in the first turn.
    ///   - framesChunks: Whether the bytes are framed as HTTP/1.1 chunks.
    init(_ body: TransportBody, framesChunks: Bool) {
        self.body = body
        self.framesChunks = framesChunks
    }

    /// Reads a few pieces, in one turn at a time; blocks if the reader does.
    ///
    /// - Parameters:
    ///   - room: The number of bytes wanted; at least one piece is read, unless the reader has nothing yet.
    ///   - wake: Called after ``Step/wait``, when the reader has something.
    ///   - deliver: Receives each piece as soon as it is read, and whether it is the last of the turn.
    func takeTurn(room: Int, wake: @escaping @Sendable () -> Void, _ deliver: (Step, _ isLast: Bool) -> Void) {
        do {
            let (kept, isStopped) = self.state.withLock { ($0.reader.take(), $0.isStopped) }
            // The exchange may have ended since the turn was requested; a new reader would start at the first byte
            // again.
            guard !isStopped else { return }
            var reader = try kept ?? self.body.makeAnyReader()
            for left in (0..<Self.pieceCount(room)).reversed() {
                guard reader.isReadable else {
                    // Kept first: the next turn may begin before this one has returned.
                    self.keep(reader)
                    deliver(.wait, true)
                    return reader.whenReadable(wake)
                }
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

    /// Takes back a buffer whose bytes have been written.
    func recycle(_ buffer: ByteBuffer) {
        self.state.withLock { state in
            if state.spare.count < Self.spareLimit, !state.isStopped { state.spare.append(buffer) }
        }
    }

    /// Releases everything; a turn in progress ends after its current read.
    func stop() {
        let old = self.state.withLock { state in
            let old = state
            state = State(isStopped: true)
            return old
        }
        // Releasing a reader can run arbitrary code, which must not happen inside the lock.
        _ = old
    }

    private static func pieceCount(_ room: Int) -> Int {
        Swift.min(Swift.max(room / Self.readSize, 1), Self.turnLength)
    }

    /// Returns an empty buffer; nil after ``stop()``.
    private func takeBuffer() -> ByteBuffer? {
        var buffer = self.state.withLock { $0.isStopped ? nil : $0.spare.popLast() ?? ByteBuffer() }
        // Cleared in place: a second reference, which a debug build keeps to the end of a scope, would force a copy.
        buffer?.clear(minimumCapacity: Self.prefixSize + Self.readSize + 2)
        return buffer
    }

    private func keep(_ reader: any TransportBodyReader) {
        self.state.withLock { state in
            if !state.isStopped { state.reader = reader }
        }
    }

    /// Reads once into the empty buffer, frames the bytes as a chunk if needed, and returns how many were read.
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

    /// Frames the bytes as a chunk (RFC 9112 section 7.1); the space before them holds the size line.
    private static func frame(_ buffer: inout ByteBuffer, count: Int) {
        let line = String(count, radix: 16) + "\r\n"
        buffer.moveReaderIndex(to: Self.prefixSize - line.utf8.count)
        buffer.setString(line, at: buffer.readerIndex)
        buffer.writeStaticString("\r\n")
    }

    /// A reader returned a byte count that is negative or larger than its buffer.
    private struct ReaderCountError: Error {
        let count: Int
    }
}
