// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One exchange on an HTTP/2 connection: the numbers and flags of its request, its response and both windows.
///
/// It is a part of ``HTTP2ConnectionState``, which handles events that concern several streams.
final class HTTP2Stream<IO> {
    /// The kind of a header block.
    enum Head: Equatable {
        case informational
        /// The final head; `stopsBody` says whether a body that was held back is not sent.
        case final(stopsBody: Bool)
        case trailers
    }

    let id: UInt32
    /// Whether it was opened before the server announced how many streams it allows.
    let isEarly: Bool
    /// Identifies the exchange.
    let key: ObjectIdentifier
    /// What the handler keeps with it.
    var io: IO
    private var clock: StageClock

    // MARK: Sending

    let hasBody: Bool
    /// Whether its body is held back until the server sends 100 (Continue) (RFC 9110 section 10.1.1).
    private(set) var awaitsContinue: Bool
    /// The number of bytes of the body that wait for the window.
    private(set) var pendingByteCount = 0
    /// Whether nothing of the body follows the pending bytes.
    private var isBodyComplete = false
    private(set) var isRequestSent = false
    /// The total number of bytes written or gathered on the connection before the request's head.
    let headMark: Int64
    /// The total number of bytes written or gathered on the connection with the last part of the request so far.
    private var sendMark: Int64 = 0
    /// Whether part of the request was buffered in the channel at the last check or write.
    private var isWaiting = false
    private(set) var sendWindow: Int
    /// Whether it is in the queue of streams that have something to send.
    private var isQueued = false

    // MARK: Receiving

    /// Whether the server has begun to respond, also with an informational response.
    private(set) var hasResponse = false
    private var hasHead = false
    /// Whether the last frame has arrived.
    private(set) var isEnded = false
    /// Whether the server has reset the stream.
    private(set) var isReset = false
    private var informationalCount = 0
    private var receivedByteCount: Int64 = 0
    /// The value of Content-Length; nil if there is none.
    private var expectedByteCount: Int64?
    private(set) var receiveWindow: Int
    /// The consumed bytes for which no WINDOW_UPDATE has been sent.
    private var unreturnedByteCount = 0
    /// Whether its consumer is to be woken at the end of the event loop tick.
    var isTouched = false

    init(
        _ io: IO,
        id: UInt32,
        key: ObjectIdentifier,
        hasBody: Bool,
        awaitsContinue: Bool,
        clock: StageClock,
        headMark: Int64,
        sendWindow: Int,
        receiveWindow: Int,
        isEarly: Bool = false
    ) {
        self.io = io
        self.id = id
        self.isEarly = isEarly
        self.key = key
        self.hasBody = hasBody
        self.awaitsContinue = awaitsContinue
        self.clock = clock
        self.headMark = headMark
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Whether it is closed for the server too, so that nothing may be sent on it (RFC 9113 sections 5.1 and 5.4.2).
    var isClosed: Bool { self.isReset || (self.isEnded && self.isRequestSent) }

    var stage: WireStage { WireStage(isRequestSent: self.isRequestSent, hasHead: self.hasHead) }

    /// The number of bytes that may be read from the source of the body, to wait for the window.
    var room: Int { 256 * 1024 - self.pendingByteCount }

    /// Whether a frame can be sent, unless the connection's window is closed.
    var canSend: Bool {
        guard !self.isRequestSent, !self.awaitsContinue else { return false }
        return self.pendingByteCount == 0 ? self.isBodyComplete : self.sendWindow > 0
    }

    // MARK: Sending

    func add(_ byteCount: Int) { self.pendingByteCount += byteCount }

    func completeBody() { self.isBodyComplete = true }

    func endHolding() -> Bool {
        defer { self.awaitsContinue = false }
        return self.awaitsContinue
    }

    /// - Returns: Whether it must be added to the queue of streams that have something to send.
    func enterQueue() -> Bool {
        guard !self.isQueued, self.canSend else { return false }
        self.isQueued = true
        return true
    }

    func leaveQueue() { self.isQueued = false }

    /// Whether nothing of the body follows so many more bytes of it.
    func isLast(_ byteCount: Int) -> Bool { self.isBodyComplete && self.pendingByteCount == byteCount }

    /// A head, or a frame of the body, was gathered.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes of the body.
    ///   - mark: The total number of bytes written or gathered on the connection with it.
    ///   - now: The time.
    func sent(_ byteCount: Int, mark: Int64, now: NIODeadline) {
        self.sendWindow -= byteCount
        self.pendingByteCount -= byteCount
        self.sendMark = mark
        self.clock.noteActivity(now)
    }

    func noteRequestSent() {
        self.isRequestSent = true
        self.clock.awaitResponse()
    }

    /// Sends no more of the body; the stream is reset when the response is complete.
    func abandonBody() {
        guard !self.isRequestSent else { return }
        self.awaitsContinue = false
        self.pendingByteCount = 0
        self.isBodyComplete = false
    }

    /// - Returns: Whether the window is within its limit (RFC 9113 section 6.9.1).
    func openWindow(by increment: Int) -> Bool {
        guard self.sendWindow + increment <= HTTP2Settings.maximumWindow else { return false }
        self.sendWindow += increment
        return true
    }

    // MARK: Receiving

    /// A DATA frame arrived.
    ///
    /// - Returns: The error for which the stream must be reset; nil if there is none.
    func data(_ byteCount: Int, flowLength: Int, isEnd: Bool, now: NIODeadline) throws(HTTP2Error) -> TransportError? {
        self.receiveWindow -= flowLength
        guard self.receiveWindow >= 0 else {
            throw .violation("the server sent more than the window allows", .flowControlError)
        }
        guard self.hasHead, !self.isEnded else {
            return .violation("the server sent a body before its head, or after its end")
        }
        // A frame that is empty, or only padding, is no progress.
        if byteCount > 0 || isEnd { self.clock.noteActivity(now) }
        self.receivedByteCount += Int64(byteCount)
        if let expected = self.expectedByteCount, expected < self.receivedByteCount {
            return .violation("the response's body has more than the \(expected) bytes it may have")
        }
        // Padding is consumed at once.
        self.unreturnedByteCount += flowLength - byteCount
        self.isEnded = isEnd
        return nil
    }

    /// A header block arrived, which is decoded later.
    func headers(now: NIODeadline) {
        self.hasResponse = true
        self.clock.noteActivity(now)
    }

    func head(_ status: Int?, isEnd: Bool, informationalLimit: Int) throws(TransportError) -> Head {
        if self.hasHead {
            guard isEnd, status == nil, !self.isEnded else {
                throw .violation("the response has a second head, or trailers before its end")
            }
            self.isEnded = true
            return .trailers
        }
        guard let status else { throw .violation("the response has no status") }
        guard status < 200 else {
            self.hasHead = true
            self.isEnded = isEnd
            // A final response instead of 100 (Continue): the body is not sent. A body that has begun is sent on,
            // whatever the status, until the response ends or the server resets the stream (RFC 9113 section 8.1): the
            // server may read all of it before it completes the response.
            let stopsBody = self.awaitsContinue
            if stopsBody { self.abandonBody() }
            return .final(stopsBody: stopsBody)
        }
        guard !isEnd, status != 101 else { throw .violation("the response ends with an informational status") }
        self.informationalCount += 1
        guard self.informationalCount <= informationalLimit else {
            throw .tooManyInformationalResponses(informationalLimit)
        }
        self.clock.awaitResponse()
        return .informational
    }

    func noteReset() { self.isReset = true }

    func expect(_ byteCount: Int64?) { self.expectedByteCount = byteCount }

    /// Checks the body against Content-Length (RFC 9113 section 8.1.1).
    func checkLength() throws(TransportError) {
        guard let expected = self.expectedByteCount, expected != self.receivedByteCount else { return }
        let lengths = "\(self.receivedByteCount) bytes and not the \(expected) it said"
        guard self.receivedByteCount < expected else { throw .violation("the response's body has \(lengths)") }
        // A proxy ends the stream like this where its own server was lost in the middle of the body.
        throw .closed("the response ended early: its body has \(lengths)", in: .responseBody, isRequestSent: true)
    }

    func consume(_ byteCount: Int) { self.unreturnedByteCount += byteCount }

    /// - Returns: The increment of a WINDOW_UPDATE; nil below the threshold.
    func takeWindow(threshold: Int) -> Int? {
        guard !self.isEnded, self.unreturnedByteCount >= threshold else { return nil }
        defer { self.unreturnedByteCount = 0 }
        self.receiveWindow += self.unreturnedByteCount
        return self.unreturnedByteCount
    }

    // MARK: Time

    /// When to check the deadlines: at the earliest one, and more often while part of the request may be buffered.
    ///
    /// The total limit ends with the last byte of the response, however long its consumer takes to read it.
    func nextLook(after now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        let deadline = self.clock.deadline(in: self.stage, isDropped: self.isEnded)
        guard self.hasBody || self.isWaiting else { return deadline }
        return .earlier(deadline, self.clock.nextLook(in: self.stage, isWaiting: self.isWaiting, after: now()))
    }

    /// Notes whether part of the request is buffered in the channel after a write.
    func noteUnsent(_ byteCount: Int, _ progress: SendProgress) {
        if progress.isWaiting(self.sendMark, waiting: byteCount) { self.isWaiting = true }
    }

    /// Checks the deadlines.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - hasTaken: Whether the server has accepted bytes that waited in the channel since the last check.
    ///   - unsentByteCount: The number of bytes that wait there.
    ///   - progress: The bytes that have left the channel.
    ///   - ourSide: Whether the consumer of the response is slow, and whether the source of the request body is.
    /// - Returns: The error of the exceeded limit; nil if none was, or if our side is the slow one.
    func findLate(
        _ now: NIODeadline,
        _ hasTaken: Bool,
        _ unsentByteCount: Int,
        _ progress: SendProgress,
        ourSide: () -> (isStalled: Bool, isReading: Bool)
    ) -> TransportError? {
        let wasWaiting = self.isWaiting
        self.isWaiting = progress.isWaiting(self.sendMark, waiting: unsentByteCount)
        // A server that has accepted some of the buffered bytes is slow, not silent. When the last of them left the
        // channel is unknown: the limits count from the check that finds it gone.
        if hasTaken, wasWaiting || self.isWaiting { self.clock.restart(now) }
        // For a stream that only waits for its turn, frames of other streams are progress.
        if self.isQueued, self.canSend { self.noteActivity(hasTaken ? now : progress.lastGathered) }
        switch self.clock.lateness(in: self.stage, isDropped: self.isEnded, now: now) {
        case nil: return nil
        case .total(let error): return error
        case .stage(let error):
            let (isStalled, isReading) = ourSide()
            // The source is the slow side only if the server has accepted everything that came from it.
            let isOurs =
                isStalled || self.awaitsContinue || (isReading && self.pendingByteCount == 0 && !self.isWaiting)
            guard isOurs else { return error }
            self.clock.restart(now)
            return nil
        }
    }

    /// When a part of the request was sent, or of the response received.
    var lastActivity: NIODeadline { self.clock.lastActivity }

    func noteActivity(_ now: NIODeadline) { self.clock.noteActivity(now) }
}
