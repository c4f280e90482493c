// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Brings a request body from its reader onto the connection, as fast as the connection takes it.
///
/// Lives on the connection's event loop. The reader has its turns on the thread pool, where it may block: one turn at a time, of a few
/// pieces, each of which is handed to the connection while the next is read. The next turn starts when the channel has room again, and
/// not before the delay that the reader asks for, which is measured on the engine's clock.
final class RequestBodyPump: BodyPump {
    /// What became of the body.
    enum Outcome {
        /// Bytes for the connection, and how many of them are the body's own.
        case bytes(ByteBuffer, contentByteCount: Int)
        /// A pause of the reader is over: the next turn is to be asked for if there is room.
        case ready
        /// The body is complete.
        case end
        case failed(TransportError)
    }

    private let length: Int64?
    private let source: RequestBodySource
    private let eventLoop: any EventLoop
    private let clock: EngineClock
    private var sent: Int64 = 0
    private var hasTurn = false
    /// Set while the reader is to wait.
    private var pause: EngineTimer?
    private var sink: ((Outcome) -> Void)?

    /// Creates a pump.
    ///
    /// - Parameters:
    ///   - length: The bytes that the body promises, nil if it does not.
    ///   - framesChunks: Whether the bytes are handed out as chunks of HTTP/1.1.
    ///   - makeReader: Makes the reader.
    ///   - eventLoop: Where the pump lives.
    ///   - clock: Measures the delays that the reader asks for.
    ///   - sink: Takes the outcomes.
    init(
        length: Int64?,
        framesChunks: Bool,
        makeReader: @escaping @Sendable () throws -> any TransportBodyReader,
        eventLoop: any EventLoop,
        clock: EngineClock,
        sink: @escaping (Outcome) -> Void
    ) {
        self.length = length
        self.source = RequestBodySource(framesChunks: framesChunks, makeReader: makeReader)
        self.eventLoop = eventLoop
        self.clock = clock
        self.sink = sink
    }

    /// Whether the source is the slow side: the reader has its turn, or waits for it.
    var isReading: Bool { self.hasTurn || self.pause != nil }

    /// Gives the reader its next turn, unless it has one or is to wait.
    func pull(room: Int) {
        guard !self.isReading, self.sink != nil else { return }
        self.hasTurn = true
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        NIOThreadPool.singleton.submit { [eventLoop, source] state in
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
        self.hasTurn = false
        self.pause?.cancel()
        self.pause = nil
        self.source.stop()
    }

    private func wait(_ delay: Duration) {
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.pause = self.clock.schedule(at: self.clock.now() + TimeAmount(delay), on: self.eventLoop) {
            bound.value.endPause()
        }
    }

    private func endPause() {
        self.pause = nil
        self.sink?(.ready)
    }

    private func didRead(_ step: RequestBodySource.Step, isLast: Bool) {
        guard let sink else { return }
        if isLast { self.hasTurn = false }
        switch step {
        case .pause(let delay):
            self.wait(delay)
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
