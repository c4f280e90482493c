// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Brings a request body from its reader onto the connection, as fast as the connection takes it.
///
/// Lives on the connection's event loop. The reader has its turns on the thread pool, where it may block: one turn at a time, of a few
/// pieces, each of which is on its way to the connection while the next is read. The next turn starts when the channel has room again.
final class RequestBodyPump: BodyPump {
    /// What became of the body.
    enum Outcome {
        /// Bytes for the connection, and how many of them are the body's own.
        case bytes(ByteBuffer, contentByteCount: Int)
        /// The body is complete.
        case end
        case failed(TransportError)
    }

    private let length: Int64?
    private let source: RequestBodySource
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    private var sent: Int64 = 0
    /// Whether the reader has its turn; the peer is then not the slow side.
    private(set) var isReading = false
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
        self.source = RequestBodySource(framesChunks: framesChunks, makeReader: makeReader)
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.sink = sink
    }

    /// Gives the reader its next turn, unless it has one.
    func pull(room: Int) {
        guard !self.isReading, self.sink != nil else { return }
        self.isReading = true
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.threadPool.submit { [eventLoop, source] state in
            guard state == .active else {
                return eventLoop.execute { bound.value.didRead(.failed(CancellationError()), isLast: true) }
            }
            source.takeTurn(room: room) { step, isLast in
                eventLoop.execute { bound.value.didRead(step, isLast: isLast) }
            }
        }
    }

    /// Takes a buffer back whose bytes have been written.
    func recycle(_ buffer: ByteBuffer) { self.source.recycle(buffer) }

    /// Stops for good; a read that is under way is forgotten when it ends.
    func stop() {
        self.sink = nil
        self.isReading = false
        self.source.stop()
    }

    private func didRead(_ step: RequestBodySource.Step, isLast: Bool) {
        guard let sink else { return }
        if isLast { self.isReading = false }
        switch step {
        case .failed(let error):
            self.stop()
            sink(.failed(Self.failure("the request's body could not be read: \(error)", error)))
        case .end:
            self.finish(sink)
        case .bytes(let bytes, let contentByteCount):
            self.sent += Int64(contentByteCount)
            if let length = self.length, self.sent > length {
                self.stop()
                return sink(.failed(Self.failure("the request's body has more than the \(length) bytes it promised")))
            }
            sink(.bytes(bytes, contentByteCount: contentByteCount))
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

    private static func failure(_ reason: String, _ underlying: (any Error)? = nil) -> TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: reason, underlying: underlying, isRequestSent: true)
    }
}
