// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One exchange on an HTTP/2 connection: what is still to be sent, what has arrived, and the windows in both directions; numbers and flags.
///
/// A part of ``HTTP2ConnectionState``: it changes by events only, and what concerns other streams too goes through there.
final class HTTP2Stream<IO> {
    /// An exchange that starts.
    struct Opening {
        let io: IO
        /// What it is found by.
        let key: ObjectIdentifier
        let hasBody: Bool
        let awaitsContinue: Bool
        let clock: StageClock
    }

    /// What a header block is.
    enum Head: Equatable {
        case informational
        /// The head; a body that is held back for the peer's permission is not sent any more.
        case final(stopsBody: Bool)
        case trailers
    }

    let id: UInt32
    let key: ObjectIdentifier
    /// What the handler keeps with it.
    var io: IO
    private var clock: StageClock

    // MARK: Sending

    let hasBody: Bool
    /// Whether its body is held back until the peer asks for it (RFC 9110 section 10.1.1).
    private(set) var awaitsContinue: Bool
    /// The bytes of the body that wait for the window.
    private(set) var pendingByteCount = 0
    /// Whether those are all that is left of the body.
    private var isBodyComplete = false
    private(set) var isRequestSent = false
    /// How many bytes the connection had written, or gathered, before the request's head.
    let headMark: Int64
    /// How many bytes the connection had written, or gathered, with the last part of the request so far.
    private var sendMark: Int64 = 0
    /// Whether a part of the request waits in the channel, as far as the last look or a write since then has shown.
    private var isWaiting = false
    /// How many bytes the peer takes.
    private(set) var sendWindow: Int
    /// Whether it is in the queue of streams that have something to send.
    private var isQueued = false

    // MARK: Receiving

    /// Whether the peer has begun to respond; an informational response is one too.
    private(set) var hasResponse = false
    private var hasHead = false
    /// Whether the last frame has come.
    private(set) var isEnded = false
    /// Whether the peer has reset it.
    private var isReset = false
    private var informationalCount = 0
    /// The bytes of the body so far, as they were sent.
    private var receivedByteCount: Int64 = 0
    /// The length of the body, where the head told it.
    private var expectedByteCount: Int64?
    /// How many bytes the peer may still send.
    private var receiveWindow: Int
    /// The bytes that were used up and not yet given back to the window.
    private var unreturnedByteCount = 0
    /// Whether something has come in this turn of the loop that its consumer has not been told of.
    private var isTouched = false

    init(_ opening: Opening, id: UInt32, headMark: Int64, sendWindow: Int, receiveWindow: Int) {
        self.id = id
        self.io = opening.io
        self.key = opening.key
        self.hasBody = opening.hasBody
        self.awaitsContinue = opening.awaitsContinue
        self.clock = opening.clock
        self.headMark = headMark
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Whether it is closed for the peer too, so that nothing more may be sent on it (RFC 9113 sections 5.1 and 5.4.2).
    var isClosed: Bool { self.isReset || (self.isEnded && self.isRequestSent) }

    var stage: WireStage { WireStage(isRequestSent: self.isRequestSent, hasHead: self.hasHead) }

    /// How many more bytes of the body may wait for the window before no more are read from their source.
    var room: Int { 256 * 1024 - self.pendingByteCount }

    /// Whether a frame can be sent now, as far as this stream goes.
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

    /// - Returns: Whether it has to be put into the queue of those that have something to send.
    func enterQueue() -> Bool {
        guard !self.isQueued, self.canSend else { return false }
        self.isQueued = true
        return true
    }

    func leaveQueue() { self.isQueued = false }

    /// Whether it waits behind others, and nothing else keeps it from sending as far as it goes.
    private var awaitsTurn: Bool { self.isQueued && self.canSend }

    /// Whether nothing of the body is left behind so many more bytes of it.
    func isLast(_ byteCount: Int) -> Bool { self.isBodyComplete && self.pendingByteCount == byteCount }

    func sent(_ byteCount: Int) {
        self.sendWindow -= byteCount
        self.pendingByteCount -= byteCount
    }

    func noteGathered(_ mark: Int64) { self.sendMark = mark }

    func noteRequestSent() {
        self.isRequestSent = true
        self.clock.awaitResponse()
    }

    /// Sends no more of the body; the peer is told when the response is complete.
    func abandonBody() {
        guard !self.isRequestSent else { return }
        self.awaitsContinue = false
        self.pendingByteCount = 0
        self.isBodyComplete = false
    }

    /// - Returns: Whether the window is no larger than there can be (RFC 9113 section 6.9.1).
    func openWindow(by increment: Int) -> Bool {
        guard self.sendWindow + increment <= HTTP2Settings.maximumWindow else { return false }
        self.sendWindow += increment
        return true
    }

    // MARK: Receiving

    /// A part of the body came.
    ///
    /// - Returns: Why the stream has to be reset, if it has to be.
    func data(_ byteCount: Int, flowLength: Int, isEnd: Bool, now: NIODeadline) throws(HTTP2Error) -> TransportError? {
        self.receiveWindow -= flowLength
        guard self.receiveWindow >= 0 else {
            throw .violation("the server sent more than the window allows", .flowControlError)
        }
        guard self.hasHead, !self.isEnded else {
            return .violation("the server sent a body before its head, or after its end")
        }
        // A frame that is empty, or all padding, is no progress.
        if byteCount > 0 || isEnd { self.clock.noteActivity(now) }
        self.receivedByteCount += Int64(byteCount)
        // Bytes beyond the length that the head told need not be waited for.
        if let expected = self.expectedByteCount, expected < self.receivedByteCount {
            return .violation("the response's body has more than the \(expected) bytes it may have")
        }
        // Padding is used up as it comes.
        self.unreturnedByteCount += flowLength - byteCount
        self.isEnded = isEnd
        return nil
    }

    /// A header block came; what it says is read later.
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
            // A final response came instead of 100 (Continue): the body is not sent. A body that is under way goes on,
            // whatever the status, until the response ends or the peer resets the stream (RFC 9113 section 8.1): the
            // peer may read it to its end before it completes the response.
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

    /// The peer has reset it.
    func noteReset() { self.isReset = true }

    func expect(_ byteCount: Int64?) { self.expectedByteCount = byteCount }

    /// The length that the head told has to be the length of the body (RFC 9113 section 8.1.1).
    func checkLength() throws(TransportError) {
        guard let expected = self.expectedByteCount, expected != self.receivedByteCount else { return }
        throw .violation("the response's body has \(self.receivedByteCount) bytes and not the \(expected) it said")
    }

    func consume(_ byteCount: Int) { self.unreturnedByteCount += byteCount }

    /// - Returns: The bytes to give back to the window, if they are worth a frame.
    func takeWindow(threshold: Int) -> Int? {
        guard !self.isEnded, self.unreturnedByteCount >= threshold else { return nil }
        defer { self.unreturnedByteCount = 0 }
        self.receiveWindow += self.unreturnedByteCount
        return self.unreturnedByteCount
    }

    /// - Returns: Whether this is the first thing that has come in this turn of the loop.
    func touch() -> Bool {
        defer { self.isTouched = true }
        return !self.isTouched
    }

    func endTurn() { self.isTouched = false }

    // MARK: Time

    /// The limit of the whole exchange runs to the last byte of the response, however long its consumer takes to read it.
    var deadline: NIODeadline? { self.clock.deadline(in: self.stage, isDropped: self.isEnded) }

    /// When to look whether the peer takes its request, of which a part may wait in the channel, also after the last one was written.
    func nextLook(after now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        guard self.hasBody || self.isWaiting else { return nil }
        return self.clock.nextLook(in: self.stage, isWaiting: self.isWaiting, after: now())
    }

    /// Notes whether a part of the request is among the bytes that wait in the channel after a write.
    func noteUnsent(_ byteCount: Int, _ progress: SendProgress) {
        if progress.isWaiting(self.sendMark, waiting: byteCount) { self.isWaiting = true }
    }

    /// Looks whether it is late.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - hasTaken: Whether the peer has taken some of what waited in the channel since the last look.
    ///   - unsentByteCount: The number of bytes that wait there.
    ///   - progress: What has left the channel.
    ///   - ourSide: Whether the consumer of the response is behind, and whether the source of the body is asked for more.
    /// - Returns: How it is late, if it is, and not for us.
    func look(
        _ now: NIODeadline,
        _ hasTaken: Bool,
        _ unsentByteCount: Int,
        _ progress: SendProgress,
        ourSide: () -> (isStalled: Bool, isReading: Bool)
    ) -> TransportError? {
        let wasWaiting = self.isWaiting
        self.isWaiting = progress.isWaiting(self.sendMark, waiting: unsentByteCount)
        // A peer that has taken some of what waits in the channel is slow and not silent. When the last of that left is
        // not known: the limits count from the look that finds it gone.
        if hasTaken, wasWaiting || self.isWaiting { self.excuse(now) }
        // The turns of other streams are progress for one that only waits for its own.
        if self.awaitsTurn { self.noteActivity(hasTaken ? now : progress.lastGathered) }
        return self.findLate(now, ourSide: ourSide)
    }

    private func findLate(
        _ now: NIODeadline,
        ourSide: () -> (isStalled: Bool, isReading: Bool)
    ) -> TransportError? {
        switch self.clock.lateness(in: self.stage, isDropped: self.isEnded, now: now) {
        case nil: return nil
        case .total(let error): return error
        case .stage(let error):
            let (isStalled, isReading) = ourSide()
            // A source is the slow side only if the peer has taken all that came from it.
            let isOurs =
                isStalled || self.awaitsContinue || (isReading && self.pendingByteCount == 0 && !self.isWaiting)
            guard isOurs else { return error }
            self.excuse(now)
            return nil
        }
    }

    func noteActivity(_ now: NIODeadline) { self.clock.noteActivity(now) }

    /// Gives it more time, because it was not the peer that was slow, or not silent.
    private func excuse(_ now: NIODeadline) { self.clock.restart(now) }
}

extension TransportError {
    static func tooManyInformationalResponses(_ limit: Int) -> TransportError {
        TransportError(
            .limitExceeded,
            phase: .responseHead,
            reason: "the server sent more than \(limit) informational responses",
            isRequestSent: true
        )
    }
}
