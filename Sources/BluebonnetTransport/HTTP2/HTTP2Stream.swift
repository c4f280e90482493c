// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// One exchange on an HTTP/2 connection: what is still to be sent, what has arrived, and the windows in both directions.
///
/// Lives on the connection's event loop.
final class HTTP2Stream {
    /// The bytes of a body that may wait for the window before no more are read from their source.
    private static let pendingMark = 256 * 1024

    let id: UInt32
    var response: ResponseAssembly
    var exchange: Exchange { self.response.exchange }
    var lastActivity: NIODeadline
    /// When the request was sent, or an informational response came.
    var responseAwaited: NIODeadline

    // MARK: Sending

    var pump: RequestBodyPump?
    /// Set while the body is held back until the peer asks for it; sends it when the wait is over.
    var continuation: EngineTimer?
    /// The part of the body that waits for the window.
    var pending = CircularBuffer<ByteBuffer>()
    var pendingByteCount = 0
    /// Whether ``pending`` holds all that is left of the body.
    var isBodyComplete = false
    var isRequestSent = false
    var hasBody = false
    /// How many bytes the connection had written, or gathered, before the request's head.
    var headMark: Int64 = 0
    /// How many bytes the connection had written, or gathered, with the last frame of the request's body.
    var sendMark: Int64 = 0
    /// How many bytes the peer takes.
    var sendWindow: Int
    /// Whether it is in the queue of streams that have something to send.
    var isQueued = false

    // MARK: Receiving

    /// Parts of the body that wait until their consumer has caught up.
    ///
    /// The window bounds their bytes and nothing else: next to nothing but those is kept in memory.
    var inbox = BodyBuffers(sliceLimit: 64 * 1024)
    /// Set when the last frame has come.
    var end: End?
    /// The bytes of the body so far, as they were sent.
    var receivedByteCount: Int64 = 0
    /// The length of the body, where the head told it.
    var expectedByteCount: Int64?
    /// How many bytes the peer may still send.
    var receiveWindow: Int
    /// The bytes that were used up and not yet given back to the window.
    var unreturnedByteCount = 0
    var informationalCount = 0
    /// Whether something has come in this turn of the loop that its consumer has not been told of.
    var isTouched = false

    struct End {
        let trailers: HTTPFields?
    }

    init(id: UInt32, response: ResponseAssembly, sendWindow: Int, receiveWindow: Int) {
        self.id = id
        self.lastActivity = response.exchange.clock.now()
        self.responseAwaited = self.lastActivity
        self.response = response
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    var stage: ExchangeStage { ExchangeStage(isRequestSent: self.isRequestSent, hasHead: self.response.head != nil) }

    /// When the limit of the present phase began to run: that on the response's head is absolute, those on bodies are on silence.
    var stageStart: NIODeadline { self.stage == .waiting ? self.responseAwaited : self.lastActivity }

    /// Whether a frame can be sent now, as far as this stream goes.
    var canSend: Bool {
        guard !self.isRequestSent else { return false }
        return self.pending.isEmpty ? self.isBodyComplete : self.sendWindow > 0
    }

    /// How many more bytes of the body may wait.
    var room: Int { Self.pendingMark - self.pendingByteCount }

    func enqueue(_ bytes: ByteBuffer) {
        self.pending.append(bytes)
        self.pendingByteCount += bytes.readableBytes
    }

    /// The next bytes to send, no more than the windows and the frame size allow.
    func dequeue(atMost limit: Int) -> ByteBuffer {
        guard var first = self.pending.popFirst() else { return ByteBuffer() }
        let count = Swift.min(first.readableBytes, limit, self.sendWindow)
        guard let piece = first.readSlice(length: count) else { return ByteBuffer() }
        if first.readableBytes > 0 { self.pending.prepend(first) }
        self.sendWindow -= count
        self.pendingByteCount -= count
        return piece
    }

    /// Sends no more of the body; the peer is told when the response is complete.
    func abandonBody() {
        guard !self.isRequestSent else { return }
        self.stop()
        self.pendingByteCount = 0
        self.isBodyComplete = false
    }

    /// Cancels the timers and the readers of the stream.
    func stop() {
        self.continuation?.cancel()
        self.continuation = nil
        self.pump?.stop()
        self.pump = nil
        self.pending = []
    }
}
