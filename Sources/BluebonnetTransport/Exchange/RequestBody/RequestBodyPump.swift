// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Moves a request body from its reader to the connection, as fast as the connection accepts it.
///
/// It runs on the connection's event loop. The reader runs on the thread pool, where it may block, in one turn at a
/// time of a few pieces; each piece is passed to the connection while the next is read. The next turn starts when the
/// channel has room again, and not before the delay that the reader requests, which is measured on the engine's clock.
final class RequestBodyPump: BodyPump {
    /// The outcomes of the pump.
    enum Outcome {
        /// Bytes for the connection, and how many of them are content without framing.
        case bytes(ByteBuffer, contentByteCount: Int)
        /// A pause or a wait of the reader is over: the next turn may be requested if there is room.
        case ready
        /// The body is complete.
        case end
        case failed(TransportError)
    }

    /// The declared length of the body in bytes; nil if it is unknown.
    private let length: Int64?
    private let source: RequestBodySource
    private let eventLoop: any EventLoop
    private let clock: EngineClock
    private var sent: Int64 = 0
    private var hasTurn = false
    /// The timer of a pause; nil while the reader need not wait.
    private var pause: EngineTimer?
    /// Whether the reader has nothing yet.
    private var isWaiting = false
    private var sink: ((Outcome) -> Void)?

    /// Creates a pump.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - framesChunks: Whether the bytes are framed as HTTP/1.1 chunks.
    ///   - eventLoop: The event loop of the pump.
    ///   - clock: Measures the delays that the reader requests.
    ///   - sink: Receives the outcomes.
    init(
        _ body: TransportBody,
        framesChunks: Bool,
        eventLoop: any EventLoop,
        clock: EngineClock,
        sink: @escaping (Outcome) -> Void
    ) {
        self.length = body.byteCount
        self.source = RequestBodySource(body, framesChunks: framesChunks)
        self.eventLoop = eventLoop
        self.clock = clock
        self.sink = sink
    }

    /// Whether the source is the one that is slow: the reader has its turn, pauses or waits.
    var isReading: Bool { self.hasTurn || self.pause != nil || self.isWaiting }

    /// Starts the reader's next turn, unless a turn or a pause is in progress.
    func pull(room: Int) {
        guard !self.isReading, self.sink != nil else { return }
        self.hasTurn = true
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        NIOThreadPool.singleton.submit { [eventLoop, source] state in
            guard state == .active else {
                return eventLoop.execute { bound.value.didRead(.failed(CancellationError()), isLast: true) }
            }
            let wake: @Sendable () -> Void = { eventLoop.execute { bound.value.endWait() } }
            source.takeTurn(room: room, wake: wake) { step, isLast in
                eventLoop.execute { bound.value.didRead(step, isLast: isLast) }
            }
        }
    }

    /// Takes back a buffer whose bytes have been written.
    func recycle(_ buffer: ByteBuffer) { self.source.recycle(buffer) }

    /// Stops permanently; the result of a read in progress is discarded.
    func stop() {
        self.sink = nil
        self.hasTurn = false
        self.isWaiting = false
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

    private func endWait() {
        self.isWaiting = false
        self.sink?(.ready)
    }

    private func didRead(_ step: RequestBodySource.Step, isLast: Bool) {
        guard let sink else { return }
        if isLast { self.hasTurn = false }
        switch step {
        case .pause where self.length == self.sent, .wait where self.length == self.sent:
            // The request is complete: its server need not wait until the reader knows that nothing follows.
            self.finish(sink)
        case .pause(let delay):
            self.wait(delay)
        case .wait:
            self.isWaiting = true
        case .failed(let error):
            self.stop()
            sink(.failed(Self.unreadable(error)))
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

    /// The failure of the reader.
    ///
    /// An error of the program is named by its type alone: its text may hold secrets.
    private static func unreadable(_ error: any Error) -> TransportError {
        let cause = (error as? TransportError)?.reason ?? "an error of type \(type(of: error))"
        return Self.failure("the request's body could not be read: \(cause)", error)
    }

    private static func failure(_ reason: String, _ underlying: (any Error)? = nil) -> TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: reason, underlying: underlying, isRequestSent: true)
    }
}
