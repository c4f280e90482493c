// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Brings a request body from its reader onto the connection, as fast as the connection takes it.
///
/// Lives on the connection's event loop. One read at a time runs on the thread pool, where it may block; the next one starts when the
/// channel has room for what it will bring. Two buffers travel back and forth, so that nothing is allocated per read.
final class RequestBodyPump: BodyPump {
    /// What became of the body.
    enum Outcome {
        /// Bytes for the connection, and how many of them are the body's own.
        case bytes(ByteBuffer, contentByteCount: Int)
        /// The body is complete.
        case end
        case failed(TransportError)
    }

    /// The bytes asked of a reader at a time.
    static let readSize = 128 * 1024
    /// Room in front of the bytes for a chunk-size line: eight digits, CR, LF.
    private static let prefixSize = 10

    private let length: Int64?
    private let framesChunks: Bool
    private let makeReader: @Sendable () throws -> any TransportBodyReader
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    private var reader: (any TransportBodyReader)?
    private var sent: Int64 = 0
    /// Whether a read is under way; the peer is then not the slow side.
    private(set) var isReading = false
    private var isStopped = false
    private var spare = [ByteBuffer]()
    private var sink: ((Outcome) -> Void)?

    /// Creates a pump.
    ///
    /// - Parameters:
    ///   - length: The bytes that the body promises, nil if it does not.
    ///   - framesChunks: Whether the bytes are handed out as chunks of HTTP/1.1.
    ///   - makeReader: Makes the reader.
    ///   - threadPool: Where it reads.
    ///   - eventLoop: Where the pump lives.
    ///   - sink: Takes what comes of it.
    init(
        length: Int64?,
        framesChunks: Bool,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader,
        threadPool: NIOThreadPool,
        eventLoop: any EventLoop,
        sink: @escaping (Outcome) -> Void
    ) {
        self.length = length
        self.framesChunks = framesChunks
        self.makeReader = makeReader
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.sink = sink
    }

    /// Reads on, unless a read is under way.
    func pull() {
        guard !self.isReading, !self.isStopped else { return }
        self.isReading = true
        var buffer = self.spare.popLast() ?? ByteBuffer()
        buffer.clear(minimumCapacity: Self.readSize + Self.prefixSize + 2)
        let job = ReadJob(reader: self.reader, makeReader: self.makeReader, buffer: buffer)
        self.reader = nil
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.threadPool.submit { [eventLoop] state in
            let result: ReadJob.Output = state == .active ? job.run() : .failure(CancellationError())
            eventLoop.execute { bound.value.didRead(result) }
        }
    }

    /// Takes a buffer back whose bytes have been written.
    func recycle(_ buffer: ByteBuffer) {
        if self.spare.count < 4 { self.spare.append(buffer) }
    }

    /// Stops for good; a read that is under way is forgotten when it ends.
    func stop() {
        self.isStopped = true
        self.sink = nil
        self.reader = nil
    }

    private func didRead(_ result: ReadJob.Output) {
        self.isReading = false
        guard !self.isStopped, let sink = self.sink else { return }
        switch result {
        case .failure(let error):
            self.stop()
            sink(.failed(Self.failure("the request's body could not be read: \(error)", error)))
        case .success(let (reader, buffer)):
            self.reader = reader
            let count = Int64(buffer.readableBytes - Self.prefixSize)
            if count == 0 { return self.finish(sink) }
            self.sent += count
            if let length = self.length, self.sent > length {
                self.stop()
                return sink(.failed(Self.failure("the request's body has more than the \(length) bytes it promised")))
            }
            sink(.bytes(self.framed(buffer), contentByteCount: Int(count)))
        }
    }

    private func finish(_ sink: (Outcome) -> Void) {
        self.stop()
        if let length = self.length, self.sent < length {
            sink(
                .failed(Self.failure("the request's body ended after \(self.sent) of the \(length) bytes it promised"))
            )
        } else {
            sink(.end)
        }
    }

    /// Makes the bytes a chunk where the length is not known (RFC 9112 section 7.1); the room in front holds the size line.
    private func framed(_ buffer: ByteBuffer) -> ByteBuffer {
        var buffer = buffer
        let count = buffer.readableBytes - Self.prefixSize
        guard self.framesChunks else {
            buffer.moveReaderIndex(forwardBy: Self.prefixSize)
            return buffer
        }
        let line = String(count, radix: 16) + "\r\n"
        buffer.moveReaderIndex(forwardBy: Self.prefixSize - line.utf8.count)
        buffer.setString(line, at: buffer.readerIndex)
        buffer.writeStaticString("\r\n")
        return buffer
    }

    private static func failure(_ reason: String, _ underlying: (any Error)? = nil) -> TransportError {
        TransportError(.bodyFailed, phase: .write, reason: reason, underlying: underlying, isRequestSent: true)
    }

    /// One read, on its way to the thread pool and back.
    private struct ReadJob: Sendable {
        typealias Output = Result<(reader: any TransportBodyReader, buffer: ByteBuffer), any Error>

        var reader: (any TransportBodyReader)?
        let makeReader: @Sendable () throws -> any TransportBodyReader
        var buffer: ByteBuffer

        consuming func run() -> Output {
            do {
                var reader = try self.reader ?? self.makeReader()
                self.reader = nil
                var buffer = self.buffer
                self.buffer = ByteBuffer()
                buffer.writeRepeatingByte(0, count: RequestBodyPump.prefixSize)
                try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: RequestBodyPump.readSize) { space in
                    let count = try reader.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(RequestBodyPump.readSize))
                    )
                    guard (0...RequestBodyPump.readSize).contains(count) else { throw ReaderCountError(count: count) }
                    return count
                }
                return .success((reader, buffer))
            } catch {
                return .failure(error)
            }
        }
    }

    /// A reader said that it had written more bytes than there was room for, or fewer than none.
    private struct ReaderCountError: Error {
        let count: Int
    }
}
