// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The exchanges on an HTTP/1.1 connection, and the decisions about them: events in, actions out, no input or output.
///
/// One exchange is active: the next response belongs to it. Behind it is the pipeline: exchanges whose requests were
/// sent ahead, and whose responses arrive in this order (RFC 9112 section 9.3.2). An exchange leaves once: when its
/// response ends, or with the connection. One that is cancelled in the pipeline keeps its place, because its response
/// must be read. Generic over what the handler keeps with an exchange, so that tests can drive it with plain values.
struct HTTP1ConnectionState<IO>: ~Copyable {
    /// An exchange on the connection.
    ///
    /// An object, because copying what the handler keeps with it costs more than the allocation.
    final class Entry {
        /// What the handler keeps with it.
        var io: IO
        let hasBody: Bool
        private let asksForClose: Bool
        /// Whether its body is held back until the server sends 100 (Continue) (RFC 9110 section 10.1.1).
        fileprivate(set) var awaitsContinue: Bool
        fileprivate(set) var isRequestSent = false
        /// Whether a byte of a response arrived, informational or final: the server has begun to process the request.
        fileprivate(set) var hasResponse = false
        /// Whether its caller is gone.
        fileprivate(set) var isDropped = false
        fileprivate var hasHead = false
        fileprivate var keepsConnection = true
        fileprivate var skippedByteCount: Int64 = 0
        fileprivate var clock: StageClock
        /// The deadline for waiting in the pipeline.
        fileprivate var pipelineDeadline: NIODeadline?

        init(
            _ io: IO,
            hasBody: Bool = false,
            awaitsContinue: Bool = false,
            asksForClose: Bool = false,
            clock: StageClock
        ) {
            self.io = io
            self.hasBody = hasBody
            self.awaitsContinue = awaitsContinue
            self.asksForClose = asksForClose
            self.clock = clock
        }

        var stage: WireStage { WireStage(isRequestSent: self.isRequestSent, hasHead: self.hasHead) }

        /// Whether the connection can carry another exchange after this one.
        fileprivate var isLasting: Bool { self.keepsConnection && self.isRequestSent && !self.asksForClose }
    }

    /// How a request is sent.
    enum Start {
        /// As the active exchange.
        case send
        /// Pipelined, behind the requests of other exchanges.
        case sendBehind
        /// The request is not sent: the server closes the connection after the current response. It waits in the
        /// pipeline and is then sent on another connection.
        case hold
    }

    /// What to do with a final head.
    enum Head: Equatable {
        /// Deliver it; `stopsBody` says whether sending of the request body ends.
        case deliver(stopsBody: Bool)
        /// Upgrade the connection to another protocol.
        case upgrade
        /// Read past the response: its caller is gone.
        case skip
    }

    /// What to do with the connection after a response.
    enum Ending {
        /// Return it to the pool.
        case release
        /// Keep the connection: the next response belongs to this exchange.
        case turn(to: Entry)
        /// The channel is closed, but bytes of this exchange's response were received: read them.
        case drain(Entry)
        /// Close the connection and resend these exchanges.
        case close([Entry])
    }

    /// The exchanges that end with the connection; no byte of a response to those in the pipeline has arrived.
    typealias Loss = (active: Entry, behind: [Entry])

    /// The body of a response whose caller is gone is read up to this size, so that the pipeline need not be resent.
    static var skippedBodySize: Int64 { 64 * 1024 }

    private(set) var active: Entry?
    private var pipeline = [Entry]()
    /// Whether the last response was HTTP/1.1 and keeps the connection open.
    private(set) var mayPipeline = false
    private(set) var isClosed = false
    /// Whether an exchange has been completed on the connection.
    private(set) var isReused = false
    /// When bytes were last received.
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    /// The bytes that waited in the channel at the last check or write.
    private var unsentByteCount = 0

    func holds(_ entry: Entry) -> Bool { self.active === entry || self.pipeline.contains { $0 === entry } }

    // MARK: Requests

    /// Adds an exchange; the pool leases a connection in use only for requests that may be pipelined.
    mutating func begin(_ entry: Entry, now: NIODeadline) -> Start {
        guard let active else {
            self.active = entry
            return .send
        }
        entry.pipelineDeadline = entry.clock.pipelineDeadline(now)
        // Nothing may be sent once the server has announced that it closes the connection (RFC 9112 section 9.6).
        entry.isRequestSent = active.keepsConnection
        self.pipeline.append(entry)
        return active.keepsConnection ? .sendBehind : .hold
    }

    /// The server sent 100 (Continue), or the wait for it is over.
    ///
    /// - Returns: The exchange whose body is to be sent, if there is one.
    mutating func endHolding(now: NIODeadline) -> Entry? {
        guard let active, active.awaitsContinue else { return nil }
        active.awaitsContinue = false
        active.clock.noteActivity(now)
        return active
    }

    /// The server accepted bytes, or the consumer of the response read some.
    mutating func noteActivity(_ now: NIODeadline) {
        self.lastHeard = now
        self.active?.clock.noteActivity(now)
    }

    /// Notes how many bytes wait in the channel after a write: a later check sees whether the server accepted some.
    mutating func noteUnsent(_ byteCount: Int) { self.unsentByteCount = byteCount }

    mutating func noteRequestSent() {
        self.active?.isRequestSent = true
        self.active?.clock.awaitResponse()
    }

    // MARK: Responses

    /// Bytes were received; only what they complete or add to a body is progress.
    ///
    /// - Returns: Whether a request is outstanding; if not, the connection must be closed.
    mutating func received(now: NIODeadline) -> Bool {
        self.lastHeard = now
        self.active?.hasResponse = true
        return self.active != nil
    }

    /// An informational response arrived.
    ///
    /// - Returns: Whether to deliver it.
    mutating func informational() -> Bool {
        guard let active, !active.isDropped else { return false }
        active.clock.noteActivity(self.lastHeard)
        active.clock.awaitResponse()
        return true
    }

    /// A final head arrived.
    ///
    /// - Parameters:
    ///   - status: Its status code.
    ///   - byteCount: The length of its body; zero if it is unknown.
    ///   - keepsConnection: Whether the server keeps the connection open.
    /// - Returns: What to do with it.
    /// - Throws: An error if the caller is gone, and closing the connection is better than reading past the response.
    mutating func head(_ status: Int, byteCount: Int64, keepsConnection: Bool) throws(TransportError) -> Head {
        guard let active else { throw .closedEarly(isRequestSent: true) }
        active.clock.noteActivity(self.lastHeard)
        // squid keeps the connection after it refused a request with a body, but reads no other request from it.
        let isStuck = status == 407 && active.hasBody
        active.keepsConnection = keepsConnection && !isStuck
        if active.isDropped {
            guard status != 101, keepsConnection, byteCount <= Self.skippedBodySize else {
                throw .closedEarly(isRequestSent: true)
            }
            return .skip
        }
        if status == 101 { return .upgrade }
        active.hasHead = true
        // A final response instead of 100 (Continue), or one that refuses the rest of the body and ends the connection.
        // A server that keeps the connection may read the whole body before it completes the response (RFC 9112
        // section 9.5).
        let stopsBody = active.awaitsContinue || (status >= 300 && !active.keepsConnection)
        active.awaitsContinue = false
        return .deliver(stopsBody: stopsBody)
    }

    /// Bytes of a body arrived.
    ///
    /// - Returns: Whether to deliver them.
    /// - Throws: An error if the caller is gone, and closing the connection is better than reading past the response.
    mutating func body(_ byteCount: Int) throws(TransportError) -> Bool {
        guard let active else { throw .closedEarly(isRequestSent: true) }
        active.clock.noteActivity(self.lastHeard)
        guard active.isDropped else { return true }
        active.skippedByteCount += Int64(byteCount)
        guard active.skippedByteCount <= Self.skippedBodySize else { throw .closedEarly(isRequestSent: true) }
        return false
    }

    /// The response of the active exchange has ended.
    ///
    /// - Parameters:
    ///   - rest: The number of bytes received behind it.
    ///   - isVersion11: Whether the response was HTTP/1.1, not 1.0.
    ///   - isOpen: Whether the channel is open.
    ///   - now: The time.
    /// - Returns: The exchange that has ended, and what to do with the connection; nil if there was none.
    mutating func end(
        rest: Int,
        isVersion11: Bool,
        isOpen: Bool,
        now: @autoclosure () -> NIODeadline
    ) -> (ended: Entry, Ending)? {
        guard let ended = self.active.take() else { return nil }
        self.isReused = true
        self.mayPipeline = ended.isLasting && isVersion11
        guard ended.isLasting, let next = self.pipeline.first else {
            if ended.isLasting, isOpen, !self.isClosed, rest == 0 { return (ended, .release) }
            return (ended, .close(self.takePipeline()))
        }
        self.pipeline.removeFirst()
        self.active = next
        // The bytes behind the end begin its response.
        next.hasResponse = rest > 0
        next.clock.restart(now())
        return (ended, isOpen && !self.isClosed ? .turn(to: next) : .drain(next))
    }

    // MARK: Ends

    /// Removes all exchanges, because the connection is lost.
    mutating func lose() -> Loss? {
        guard let active = self.active.take() else { return nil }
        return (active, self.takePipeline())
    }

    /// Cancels an exchange.
    ///
    /// - Returns: The exchanges that end with the connection, if it must be closed; nil if the exchange keeps its place
    ///   in the pipeline.
    mutating func cancel(where matches: (Entry) -> Bool) -> Loss? {
        if let active, matches(active) { return self.lose() }
        self.pipeline.first(where: matches)?.isDropped = true
        return nil
    }

    /// Ends the use of the connection.
    ///
    /// - Returns: False if it had ended before.
    mutating func close() -> Bool {
        defer { self.isClosed = true }
        return !self.isClosed
    }

    private mutating func takePipeline() -> [Entry] {
        defer { self.pipeline = [] }
        return self.pipeline
    }

    // MARK: Time

    /// When to check the deadlines: at the earliest one of the exchanges on the connection.
    ///
    /// While a body is sent, at every quarter of the limit: the channel does not report that the server accepted part
    /// of a write.
    func nextLook(after now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        guard let active else { return nil }
        let deadline = active.clock.deadline(in: active.stage, isDropped: active.isDropped)
        let look = NIODeadline.earlier(deadline, active.clock.nextLook(in: active.stage, after: now()))
        return self.pipeline.reduce(look) { $1.isDropped ? $0 : .earlier($0, $1.pipelineDeadline) }
    }

    /// Checks the deadlines, and marks exchanges that have waited too long in the pipeline as dropped.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isStalled: Whether the consumer of the response is slow.
    ///   - isReading: Whether the source of the request body is slow.
    ///   - unsentByteCount: The number of bytes that wait in the channel.
    /// - Returns: The exchanges that have waited too long in the pipeline, the error of the active one, and since when the
    ///   server has been silent; nil if it has not, or if our own side was slow.
    mutating func findLate(
        now: NIODeadline,
        isStalled: Bool,
        isReading: Bool,
        unsentByteCount: Int
    ) -> (behind: [(entry: Entry, error: TransportError)], active: TransportError?, silence: NIODeadline?) {
        var behind = [(entry: Entry, error: TransportError)]()
        for entry in self.pipeline where !entry.isDropped {
            guard let error = entry.clock.lateness(inPipelineUntil: entry.pipelineDeadline, now: now) else { continue }
            entry.isDropped = true
            behind.append((entry, error))
        }
        let hasTaken = unsentByteCount < self.unsentByteCount
        self.unsentByteCount = unsentByteCount
        guard let active else { return (behind, nil, nil) }
        if hasTaken, !active.isRequestSent { active.clock.noteActivity(now) }
        // The source is the slow side only if the server has accepted everything that came from it.
        let isOurs = isStalled || active.awaitsContinue || (isReading && unsentByteCount == 0)
        let lastActivity = active.clock.lastActivity
        let silence = !isOurs && self.lastHeard <= lastActivity ? lastActivity : nil
        switch active.clock.lateness(in: active.stage, isDropped: active.isDropped, now: now) {
        case nil: return (behind, nil, nil)
        case .total(let error): return (behind, error, silence)
        case .stage where isOurs:
            active.clock.restart(now)
            return (behind, nil, nil)
        case .stage(let error): return (behind, error, silence)
        }
    }
}
