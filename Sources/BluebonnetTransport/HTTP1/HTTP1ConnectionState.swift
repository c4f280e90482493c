// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What a connection of HTTP/1.1 knows of its exchanges, and its decisions: events in, actions out, no input or output.
///
/// One exchange is in progress: its response comes next or is coming. Behind it are those whose requests were sent ahead; their responses
/// come in this order (RFC 9112 section 9.3.2). An exchange leaves once: when its response ends, or with the connection. One that is given
/// up in line keeps its place, because its response has to be read. Generic over what the handler keeps with an exchange, so that tests
/// can drive it with plain values.
struct HTTP1ConnectionState<IO>: ~Copyable {
    /// An exchange on the connection.
    ///
    /// An object, because a copy of what the handler keeps with it costs more than making it.
    final class Entry {
        /// What the handler keeps with it.
        var io: IO
        let hasBody: Bool
        private let asksForClose: Bool
        /// Whether its body is held back until the peer asks for it (RFC 9110 section 10.1.1).
        fileprivate(set) var awaitsContinue: Bool
        fileprivate(set) var isRequestSent = false
        /// Whether a byte of its response came; an informational response is one too, the peer has begun with the request.
        fileprivate(set) var hasResponse = false
        /// Whether nobody waits for its response any more.
        fileprivate(set) var isDropped = false
        fileprivate var hasHead = false
        fileprivate var keepsConnection = true
        fileprivate var skippedByteCount: Int64 = 0
        fileprivate var clock: StageClock
        /// When it has waited for too long behind others.
        fileprivate var lineDeadline: NIODeadline?

        /// - Parameters:
        ///   - io: What the handler keeps with it.
        ///   - hasBody: Whether its request has a body.
        ///   - awaitsContinue: Whether that is held back until the peer asks for it.
        ///   - asksForClose: Whether its request asks for the connection to be closed.
        ///   - clock: Its limits.
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

        /// Whether the connection can carry others after its response.
        fileprivate var isLasting: Bool { self.keepsConnection && self.isRequestSent && !self.asksForClose }
    }

    /// How a request goes out.
    enum Start {
        case send
        /// Its body is held back.
        case sendHead
        /// Behind others.
        case sendBehind
        /// Not at all, because the peer has said that it ends the connection: it waits in line until that goes elsewhere.
        case hold
    }

    /// What to do with a part of a response.
    enum Part: Equatable {
        case deliver
        /// Nobody waits for it, and those behind it are worth reading past it.
        case skip
        /// Nobody waits for it, and the connection ends for that.
        case giveUp
    }

    /// What to do with a head.
    enum Head: Equatable {
        /// It is delivered; with a body that is not sent any further, if the peer does not want it.
        case deliver(stopsBody: Bool)
        /// The connection is upgraded.
        case upgrade
        case other(Part)
    }

    /// What becomes of a connection after a response.
    enum Ending {
        /// It is free.
        case release
        /// It has room for one more; the response of the next one in line comes now.
        case turn(to: Entry)
        /// It is gone; what it has brought of the response of the next one in line can still be read.
        case drain(Entry)
        /// It has to be closed, and those in line go elsewhere.
        case close([Entry])
    }

    /// The exchanges that are lost with a connection.
    struct Loss {
        /// The one in progress.
        let active: Entry
        /// Those behind it; not a byte of a response to them has come.
        let behind: [Entry]
    }

    /// What is late.
    struct Due {
        /// Those whose wait in line is over.
        var behind = [(entry: Entry, error: TransportError)]()
        /// How the one in progress is late, and the connection has to end.
        var fault: TransportError?
    }

    /// The body of a response that nobody waits for is read up to this size, for the sake of those behind it.
    static var skippedBodySize: Int64 { 64 * 1024 }

    /// The exchange in progress.
    private(set) var active: Entry?
    private var line = [Entry]()
    /// Whether the last response was one of HTTP/1.1 that lets the connection go on.
    private(set) var mayPipeline = false
    private(set) var isClosed = false
    /// Whether it has finished an exchange.
    private(set) var isReused = false
    private var isReadHeld = false
    /// When bytes came last.
    private var lastHeard = NIODeadline.uptimeNanoseconds(0)
    /// The bytes that waited in the channel when that was last noted.
    private var unsentByteCount = 0

    /// Whether there is no exchange on the connection.
    var isEmpty: Bool { self.active == nil && self.line.isEmpty }

    /// Whether an exchange is in progress or in line here.
    func holds(_ entry: Entry) -> Bool { self.active === entry || self.line.contains { $0 === entry } }

    // MARK: Requests

    /// A request is to be sent; the pool lends a connection that is in use only where that may be.
    mutating func begin(_ entry: Entry, now: NIODeadline) -> Start {
        guard let active else {
            self.active = entry
            return entry.awaitsContinue ? .sendHead : .send
        }
        entry.lineDeadline = entry.clock.lineDeadline(now)
        // Once the peer has said that it ends the connection, nothing more may be sent (RFC 9112 section 9.6). It is not far from there to
        // the end of the response, when all in line goes elsewhere.
        entry.isRequestSent = active.keepsConnection
        self.line.append(entry)
        return active.keepsConnection ? .sendBehind : .hold
    }

    /// The peer asks for the body that is held back, or has been silent for long enough.
    ///
    /// - Returns: The exchange whose body has to be sent, if there is one.
    mutating func endHolding(now: NIODeadline) -> Entry? {
        guard let active, active.awaitsContinue else { return nil }
        active.awaitsContinue = false
        active.clock.noteActivity(now)
        return active
    }

    /// The peer has taken bytes, or its consumer goes on.
    mutating func noteActivity(_ now: NIODeadline) {
        self.lastHeard = now
        self.active?.clock.noteActivity(now)
    }

    /// Notes how many bytes wait to be sent, so that a peer that takes some is seen to be alive before it has taken them all.
    mutating func noteUnsent(_ byteCount: Int) { self.unsentByteCount = byteCount }

    /// The request is out.
    mutating func noteRequestSent() {
        self.active?.isRequestSent = true
        self.active?.clock.awaitResponse()
    }

    // MARK: Responses

    /// Bytes came.
    ///
    /// Only what they complete, or add to a body, is progress: extensions of chunks and trailer fields are not.
    ///
    /// - Returns: Whether a request asked for them; if none did, the connection is out of step and has to be closed.
    mutating func received(now: NIODeadline) -> Bool {
        self.lastHeard = now
        self.active?.hasResponse = true
        return self.active != nil
    }

    /// An informational response was read.
    mutating func informational() -> Part {
        guard let active, !active.isDropped else { return .skip }
        active.clock.noteActivity(self.lastHeard)
        active.clock.awaitResponse()
        return .deliver
    }

    /// A final head was read.
    ///
    /// - Parameters:
    ///   - status: Its status code.
    ///   - byteCount: The bytes of the body behind it; zero where that is not known.
    ///   - keepsConnection: Whether the peer lets the connection go on.
    /// - Returns: What to do with it.
    mutating func head(_ status: Int, byteCount: Int64, keepsConnection: Bool) -> Head {
        guard let active else { return .other(.giveUp) }
        active.clock.noteActivity(self.lastHeard)
        // squid keeps its connection after it has refused a request with a body, and reads no other one from it.
        let isStuck = status == 407 && active.hasBody
        active.keepsConnection = keepsConnection && !isStuck
        if active.isDropped {
            let isWorthIt = status != 101 && keepsConnection && byteCount <= Self.skippedBodySize
            return .other(isWorthIt ? .skip : .giveUp)
        }
        if status == 101 { return .upgrade }
        active.hasHead = true
        // A final response instead of 100 Continue, or one that refuses the rest of the body and ends the connection. A peer that lets the
        // connection go on may read the body to its end before it completes the response (RFC 9112 section 9.5).
        let stopsBody = active.awaitsContinue || (status >= 300 && !active.keepsConnection)
        active.awaitsContinue = false
        return .deliver(stopsBody: stopsBody)
    }

    /// A part of a body was read.
    mutating func body(_ byteCount: Int) -> Part {
        guard let active else { return .giveUp }
        active.clock.noteActivity(self.lastHeard)
        guard active.isDropped else { return .deliver }
        active.skippedByteCount += Int64(byteCount)
        return active.skippedByteCount <= Self.skippedBodySize ? .skip : .giveUp
    }

    /// The response in progress has ended.
    ///
    /// - Parameters:
    ///   - rest: The bytes that have come behind it.
    ///   - isVersion11: Whether the peer speaks HTTP/1.1 and not 1.0.
    ///   - isOpen: Whether the channel is open.
    ///   - now: The time.
    /// - Returns: The exchange that has ended, and what becomes of the connection; nil if there was none.
    mutating func end(
        rest: Int,
        isVersion11: Bool,
        isOpen: Bool,
        now: @autoclosure () -> NIODeadline
    ) -> (ended: Entry, Ending)? {
        guard let ended = self.active.take() else { return nil }
        self.isReused = true
        self.mayPipeline = ended.isLasting && isVersion11
        guard ended.isLasting, let next = self.line.first else {
            if ended.isLasting, isOpen, !self.isClosed, rest == 0 { return (ended, .release) }
            return (ended, .close(self.takeLine()))
        }
        self.line.removeFirst()
        self.active = next
        // What has come behind the end is the beginning of its response.
        next.hasResponse = rest > 0
        next.clock.restart(now())
        return (ended, isOpen && !self.isClosed ? .turn(to: next) : .drain(next))
    }

    // MARK: Ends

    /// Nothing more comes for the exchanges on the connection.
    ///
    /// - Returns: What is lost; nil if there is nothing.
    mutating func lose() -> Loss? {
        guard let active = self.active.take() else { return nil }
        return Loss(active: active, behind: self.takeLine())
    }

    /// An exchange is cancelled.
    ///
    /// - Returns: What is lost with the connection, if that has to end; else the exchange keeps its place in line.
    mutating func cancel(where matches: (Entry) -> Bool) -> Loss? {
        if let active, matches(active) { return self.lose() }
        self.line.first(where: matches)?.isDropped = true
        return nil
    }

    /// The connection is to be used no more.
    ///
    /// - Returns: Whether it was until now.
    mutating func close() -> Bool {
        defer { self.isClosed = true }
        return !self.isClosed
    }

    private mutating func takeLine() -> [Entry] {
        defer { self.line = [] }
        return self.line
    }

    // MARK: Reading

    /// The channel wants to read.
    ///
    /// - Parameter isStalled: Whether the consumer of the response is behind.
    /// - Returns: Whether it may; if not, that is made up for when the consumer has caught up.
    mutating func mayRead(isStalled: Bool) -> Bool {
        if isStalled { self.isReadHeld = true }
        return !isStalled
    }

    /// Whether a read was held back, which may go on now.
    mutating func takeHeldRead() -> Bool {
        defer { self.isReadHeld = false }
        return self.isReadHeld
    }

    // MARK: Time

    /// When something is late, unless something happens.
    var deadline: NIODeadline? {
        guard let active else { return nil }
        var deadline = active.clock.deadline(in: active.stage, isDropped: active.isDropped)
        for entry in self.line where !entry.isDropped { deadline = .earlier(deadline, entry.lineDeadline) }
        return deadline
    }

    /// When to look for what is late: more often while a body goes out, because nobody tells that the peer takes a part of a piece.
    func nextLook(after now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        guard let active else { return nil }
        return .earlier(self.deadline, active.clock.nextLook(in: active.stage, after: now()))
    }

    /// Looks for what is late; who is late in line is dropped.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isStalled: Whether the consumer of the response is behind.
    ///   - isReading: Whether the source of the request's body is asked for more.
    ///   - unsentByteCount: The bytes that wait in the channel.
    /// - Returns: What is late, and how.
    mutating func findLate(now: NIODeadline, isStalled: Bool, isReading: Bool, unsentByteCount: Int) -> Due {
        var due = Due()
        for entry in self.line where !entry.isDropped {
            guard let error = entry.clock.lateness(inLineUntil: entry.lineDeadline, now: now) else { continue }
            entry.isDropped = true
            due.behind.append((entry, error))
        }
        guard let active else { return due }
        if self.hasTaken(unsentByteCount), !active.isRequestSent { active.clock.noteActivity(now) }
        switch active.clock.lateness(in: active.stage, isDropped: active.isDropped, now: now) {
        case nil: break
        case .total(let error): due.fault = error
        case .stage(let error):
            // A source is the slow side only if the peer has taken all that came from it; a peer that takes bytes is slow and not silent.
            let isOurs = isStalled || active.awaitsContinue || (isReading && unsentByteCount == 0)
            if isOurs { active.clock.restart(now) } else { due.fault = error }
        }
        return due
    }

    /// Whether the peer has taken bytes since that was last noted.
    private mutating func hasTaken(_ unsentByteCount: Int) -> Bool {
        defer { self.unsentByteCount = unsentByteCount }
        return unsentByteCount < self.unsentByteCount
    }
}
