// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The streams of an HTTP/2 connection, and the decisions about them: events in, actions out, no input or output.
///
/// Of a frame it needs the stream, sizes and flags. A stream leaves once, with ``remove(_:)``; frames that arrive for
/// it afterwards are late. Generic over what the handler keeps with a stream, so that tests can use plain values.
struct HTTP2ConnectionState<IO>: ~Copyable {
    typealias Stream = HTTP2Stream<IO>
    typealias Reaction = HTTP2Reaction<IO>

    /// The number of bytes of each response that the server may send ahead of its consumer.
    let windowSize: Int
    private let firstID: UInt32
    private var nextID: UInt32
    private var streams = [UInt32: Stream]()
    private var ids = [ObjectIdentifier: UInt32]()
    private(set) var settings: HTTP2Settings
    private var sendQueue = CircularBuffer<UInt32>()
    /// The connection's flow-control window for request bodies.
    private var sendWindow = 65_535
    private var progress = SendProgress()
    /// The received bytes for which no WINDOW_UPDATE of the connection has been sent.
    private var unreturnedByteCount = 0
    /// The bytes of bodies that the server may have sent before it knew that their streams had been reset.
    private var lateByteCount = 0
    private var idleFrames = HTTP2IdleFrames()
    private var answers = HTTP2Answers()
    private var pulse: HTTP2Pulse
    /// The streams whose consumers are to be woken at the end of the event loop tick.
    private var touched = [Stream]()
    /// Whether no more exchanges may be started.
    private(set) var isRetiring = false
    /// Whether all streams fail together, and bytes that were gathered are dropped.
    private(set) var hasFailed = false
    private(set) var isClosed = false
    /// Whether an exchange has been completed on the connection.
    private var hasServed = false
    /// The code of the server's GOAWAY; nil until it arrives.
    private(set) var goAwayCode: HTTP2ErrorCode?

    init(windowSize: Int, firstID: UInt32 = 1, settings: HTTP2Settings = HTTP2Settings(), pulse: HTTP2Pulse) {
        self.windowSize = Swift.min(Swift.max(windowSize, 64 * 1024), 16 * 1024 * 1024)
        (self.firstID, self.nextID) = (firstID, firstID)
        self.settings = settings
        self.pulse = pulse
    }

    // MARK: Streams

    var isEmpty: Bool { self.streams.isEmpty }
    var hasRoom: Bool { self.streams.count < self.settings.maximumConcurrentStreams }
    /// Whether an exchange was started on the connection.
    var isUsed: Bool { self.nextID > self.firstID }
    /// The open streams, in the order of their identifiers.
    var all: [Stream] { self.streams.values.sorted { $0.id < $1.id } }

    func isOpen(_ stream: Stream) -> Bool { self.streams[stream.id] === stream }
    func stream(of key: ObjectIdentifier) -> Stream? { self.ids[key].flatMap { self.streams[$0] } }

    /// Opens a stream; the connection retires with the last identifier (RFC 9113 section 5.1.1).
    ///
    /// `gathered` is the number of bytes that are gathered and not written.
    mutating func open(
        _ io: IO,
        key: ObjectIdentifier,
        hasBody: Bool,
        awaitsContinue: Bool,
        clock: StageClock,
        gathered: Int
    ) -> Stream {
        let stream = Stream(
            io,
            id: self.nextID,
            key: key,
            hasBody: hasBody,
            awaitsContinue: awaitsContinue,
            clock: clock,
            headMark: self.progress.writtenByteCount + Int64(gathered),
            sendWindow: self.settings.initialWindowSize,
            receiveWindow: self.windowSize,
            isEarly: !self.settings.hasArrived
        )
        self.nextID += 2
        self.streams[stream.id] = stream
        self.ids[stream.key] = stream.id
        if self.nextID > HTTP2Settings.maximumStreamID { self.isRetiring = true }
        return stream
    }

    /// Removes a stream; after the last one a connection with an unacknowledged PING, which may be dead, retires.
    ///
    /// - Returns: False if it was removed before.
    mutating func remove(_ stream: Stream) -> Bool {
        guard self.isOpen(stream) else { return false }
        self.streams[stream.id] = nil
        self.ids[stream.key] = nil
        if !stream.isEnded { self.lateByteCount += stream.receiveWindow }
        if self.streams.isEmpty, self.pulse.isUnanswered { self.isRetiring = true }
        return true
    }

    /// The response of a stream is complete.
    mutating func noteServed() { self.hasServed = true }

    /// Returns how a broken stream was lost, and corrects the error if its head is among the bytes that are dropped.
    func loss(of stream: Stream, _ error: inout TransportError) -> ExchangeLoss {
        if self.hasFailed, self.progress.writtenByteCount <= stream.headMark { error.isRequestSent = false }
        // A server that resets the stream has seen the request: the connection was not closed while it was idle.
        let isReused = self.hasServed || self.goAwayCode == .http11Required
        return .broken(isReused: isReused && !stream.isReset, hasResponse: stream.hasResponse)
    }

    /// No more streams are opened.
    mutating func retire() { self.isRetiring = true }
    /// All streams are about to fail: no more are opened, and nothing that was gathered is written.
    mutating func fail() { (self.isRetiring, self.hasFailed) = (true, true) }

    /// Ends the use of the connection.
    ///
    /// - Returns: False if it had ended before.
    mutating func close() -> Bool {
        defer { self.isClosed = true }
        return !self.isClosed
    }

    /// Returns the stream of a frame; nil if it is closed on our side: the frame was sent before the server knew.
    private func find(_ id: UInt32) throws(HTTP2Error) -> Stream? {
        if let stream = self.streams[id] { return stream }
        guard id % 2 == 1, id < self.nextID else {
            throw .violation("the server sent a frame on stream \(id), which is not open")
        }
        return nil
    }

    // MARK: Sending

    /// Bytes of a body wait to be sent.
    mutating func add(_ byteCount: Int, to stream: Stream) {
        stream.add(byteCount)
        self.enqueue(stream)
    }

    /// The body ends with the bytes that wait.
    mutating func completeBody(of stream: Stream, now: NIODeadline) {
        stream.noteActivity(now)
        stream.completeBody()
        self.enqueue(stream)
    }

    /// The server sent 100 (Continue), or the wait for it is over.
    ///
    /// - Returns: Whether the body is to be sent.
    mutating func endHolding(_ stream: Stream, now: NIODeadline) -> Bool {
        guard self.isOpen(stream), stream.endHolding() else { return false }
        stream.noteActivity(now)
        return true
    }

    /// Adds a stream that has something to send to the end of the queue.
    private mutating func enqueue(_ stream: Stream) { if stream.enterQueue() { self.sendQueue.append(stream.id) } }

    /// Returns the stream whose turn it is to send a frame, and the maximum size of the frame.
    ///
    /// ``sent(_:of:isLast:gathered:now:)`` must follow. A stream that waits for the connection's window keeps its turn.
    mutating func nextToSend() -> (stream: Stream, limit: Int)? {
        for _ in 0..<self.sendQueue.count {
            let id = self.sendQueue.removeFirst()
            guard let stream = self.streams[id] else { continue }
            guard stream.canSend else {
                stream.leaveQueue()
                continue
            }
            guard self.sendWindow > 0 || stream.pendingByteCount == 0 else {
                self.sendQueue.append(id)
                continue
            }
            stream.leaveQueue()
            let window = Swift.min(self.sendWindow, stream.sendWindow, self.settings.maximumFrameSize)
            return (stream, stream.pendingByteCount == 0 ? 0 : Swift.min(window, stream.pendingByteCount))
        }
        return nil
    }

    /// A head, or a frame of a body, was gathered; the rest of the body waits for the other streams.
    ///
    /// `byteCount` is the number of bytes of the body, `gathered` that of all bytes that are gathered and not written;
    /// `isLast` says that the request is complete.
    mutating func sent(_ byteCount: Int, of stream: Stream, isLast: Bool, gathered: Int, now: NIODeadline) {
        self.sendWindow -= byteCount
        if byteCount > 0 {
            // The server has to answer with WINDOW_UPDATE frames, which are not idle then.
            self.idleFrames.reset()
            self.progress.gathered(now)
        }
        stream.sent(byteCount, mark: self.progress.gatheredRequest(gathered), now: now)
        if isLast { stream.noteRequestSent() } else { self.enqueue(stream) }
    }

    /// Whether the connection preface has been written.
    var hasWritten: Bool { self.progress.writtenByteCount > 0 }

    /// The gathered bytes have been written.
    ///
    /// - Returns: Whether they included part of a request; ``noteUnsent(_:now:)`` must follow then.
    mutating func wrote(_ byteCount: Int) -> Bool { self.progress.wrote(byteCount) }

    // MARK: Receiving

    /// Bytes were received.
    mutating func heard(_ now: NIODeadline) { self.pulse.heard(now) }

    /// The server acknowledged a PING.
    mutating func pingAnswered() { self.pulse.answered() }

    /// An acknowledgement of a PING or of SETTINGS was gathered; throws if the server reads none of them.
    mutating func acknowledged(_ byteCount: Int, unsent: @autoclosure () -> Int) throws(HTTP2Error) {
        try self.answers.add(byteCount, self.progress, unsent: unsent())
    }

    /// A frame arrived that advances no exchange; throws if there were too many.
    mutating func countIdle() throws(HTTP2Error) { try self.idleFrames.add(self.pulse.lastHeard) }

    /// A DATA frame arrived.
    ///
    /// `flowLength` is the number of bytes with padding. It throws if the stream was never opened, its window is
    /// exceeded, or too many frames arrived without progress.
    mutating func data(_ id: UInt32, byteCount: Int, flowLength: Int, isEnd: Bool) throws(HTTP2Error) -> Reaction {
        self.unreturnedByteCount += flowLength
        guard let stream = try self.find(id), !stream.isEnded else {
            if byteCount > 0, flowLength <= self.lateByteCount {
                self.lateByteCount -= flowLength
            } else {
                try self.countIdle()
            }
            return .none
        }
        if byteCount > 0 || isEnd { self.idleFrames.reset() } else { try self.countIdle() }
        let now = self.pulse.lastHeard
        guard let error = try stream.data(byteCount, flowLength: flowLength, isEnd: isEnd, now: now) else {
            return .deliver(stream)
        }
        return .reject(stream, error, .protocolError)
    }

    /// A header block arrived, which ``HTTP2Stream/head(_:isEnd:informationalLimit:)`` interprets.
    ///
    /// - Returns: Its stream; nil if it is late.
    mutating func headers(_ id: UInt32) throws(HTTP2Error) -> Stream? {
        guard let stream = try self.find(id), !stream.isEnded else {
            try self.countIdle()
            return nil
        }
        self.idleFrames.reset()
        stream.headers(now: self.pulse.lastHeard)
        return stream
    }

    /// Returns the increment of a WINDOW_UPDATE for a stream whose consumer has room; nil if it is small.
    func takeWindow(of stream: Stream) -> Int? { stream.takeWindow(threshold: self.windowSize / 2) }

    /// Returns the increment of a WINDOW_UPDATE for the connection, whose window must not depend on the consumers.
    ///
    /// The window is not enforced: the windows of the streams limit what the server can make us hold.
    mutating func takeWindow() -> Int? {
        guard self.unreturnedByteCount >= HTTP2Settings.connectionWindow / 2 else { return nil }
        defer { self.unreturnedByteCount = 0 }
        return self.unreturnedByteCount
    }

    /// Marks a stream whose consumer is to be woken at the end of the event loop tick.
    mutating func touch(_ stream: Stream) {
        if !stream.isTouched { self.touched.append(stream) }
        stream.isTouched = true
    }

    /// Removes and returns the marked streams.
    mutating func takeTouched() -> [Stream] {
        guard !self.touched.isEmpty else { return [] }
        defer { self.touched.removeAll(keepingCapacity: true) }
        for stream in self.touched { stream.isTouched = false }
        return self.touched
    }

    // MARK: Ends, settings and windows

    /// The server has reset a stream.
    mutating func reset(_ id: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2Error) -> Reaction {
        guard let stream = try self.find(id) else { return .none }
        if code == .noError, stream.isEnded {
            // The response is complete, and the rest of the request is not needed (section 8.1).
            stream.abandonBody()
            stream.noteRequestSent()
            return .stopBody(stream)
        }
        stream.noteReset()
        if code == .http11Required, !stream.isEnded { return .fallBack(stream) }
        // REFUSED_STREAM promises that the request was not processed (RFC 9113 section 8.7); a response contradicts it.
        let isRefused = code == .refusedStream && !stream.hasResponse
        let error = TransportError.reset(code, isRequestSent: !isRefused)
        return isRefused ? .refuse(stream, error) : .fail(stream, error)
    }

    /// The server processes no streams after `last`: returns those; one whose response is complete was processed.
    mutating func goAway(last: UInt32, code: HTTP2ErrorCode) -> [Stream] {
        self.isRetiring = true
        self.goAwayCode = code
        return self.all.filter { $0.id > last && !$0.isEnded }
    }

    /// Applies the server's SETTINGS.
    ///
    /// - Returns: The sizes of the header table, in order, if one of them differs from the last; and the maximum number
    ///   of streams, if it has changed or was not announced before.
    mutating func apply(
        _ settings: [(identifier: UInt16, value: UInt32)]
    ) throws(HTTP2Error) -> (headerTableSizes: [Int], capacity: Int?) {
        let before = self.settings
        try self.settings.apply(settings)
        let change = self.settings.initialWindowSize - before.initialWindowSize
        for stream in self.streams.values where change != 0 {
            guard stream.openWindow(by: change) else {
                throw .violation("the server overflowed a flow-control window", .flowControlError)
            }
            self.enqueue(stream)
        }
        let sizes = self.settings.headerTableSizes
        let capacity = self.settings.maximumConcurrentStreams
        return (
            sizes.allSatisfy { $0 == before.headerTableSize } ? [] : sizes,
            before.hasArrived && capacity == before.maximumConcurrentStreams ? nil : capacity
        )
    }

    /// The server opens the window of a stream, or of the connection.
    mutating func openWindow(_ id: UInt32, by increment: Int) throws(HTTP2Error) -> Reaction {
        guard id != 0 else {
            self.sendWindow += increment
            guard increment > 0 else { throw .violation("the server sent a WINDOW_UPDATE of 0 for the connection") }
            guard self.sendWindow <= HTTP2Settings.maximumWindow else {
                throw .violation("the server overflowed the connection's flow-control window", .flowControlError)
            }
            return .none
        }
        guard let stream = try self.find(id) else { return .none }
        guard increment > 0, stream.openWindow(by: increment) else {
            if stream.isEnded { return .none }
            return increment > 0
                ? .reject(stream, .violation("the server overflowed a flow-control window"), .flowControlError)
                : .reject(stream, .violation("the server sent a WINDOW_UPDATE of 0"), .protocolError)
        }
        // The window itself is no progress; only the bytes that it lets through are.
        self.enqueue(stream)
        return .none
    }

    // MARK: Time

    /// Notes how many bytes wait in the channel after a write, and returns when to check whether they are accepted.
    mutating func noteUnsent(_ byteCount: Int, now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        self.progress.note(waiting: byteCount)
        guard byteCount > 0 else { return nil }
        for stream in self.streams.values { stream.noteUnsent(byteCount, self.progress) }
        return self.nextLook(after: now())
    }

    /// When to check the deadlines of a stream, or to send a PING.
    func nextLook(at stream: Stream, after now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        .earlier(stream.nextLook(after: now()), self.pulse.deadline)
    }

    /// When to check the deadlines of all streams.
    func nextLook(after now: NIODeadline) -> NIODeadline? {
        self.streams.values.reduce(nil) { .earlier($0, $1.nextLook(after: now)) }
    }

    /// Checks the deadlines of all streams, in the order of their identifiers; see ``HTTP2Stream``.
    ///
    /// With each late stream it returns since when the server has been silent; nil if it has not.
    mutating func findLate(
        now: NIODeadline,
        unsentByteCount: Int,
        ourSide: (Stream) -> (isStalled: Bool, isReading: Bool)
    ) -> [(stream: Stream, error: TransportError, silence: NIODeadline?)] {
        self.progress.note(waiting: unsentByteCount)
        let (hasTaken, progress, heard) = (self.progress.takeDrain(), self.progress, self.pulse.lastHeard)
        if hasTaken { self.pulse.taken(now) }
        return self.all.compactMap { stream in
            stream.findLate(now, hasTaken, unsentByteCount, progress) { ourSide(stream) }
                .map { (stream, $0, heard <= stream.lastActivity ? stream.lastActivity : nil) }
        }
    }

    /// Checks whether to send a PING, and whether the last one was acknowledged in time, while streams are open.
    mutating func checkPulse(_ now: NIODeadline) -> HTTP2Pulse.Check {
        self.streams.isEmpty ? .quiet(until: nil) : self.pulse.check(now)
    }
}
