// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What a connection of HTTP/2 knows of its streams, and its decisions: events in, actions out, no input or output.
///
/// Of frames it sees numbers, sizes and flags. Generic over what the handler keeps with a stream, so that tests can drive it with plain
/// values. A stream leaves once, with ``remove(_:)``; what comes for it afterwards is late.
struct HTTP2ConnectionState<IO>: ~Copyable {
    typealias Stream = HTTP2Stream<IO>

    typealias Reaction = HTTP2Reaction<IO>

    /// How many bytes of each response the peer may send ahead of its consumer.
    let windowSize: Int
    private let firstID: UInt32
    private var nextID: UInt32
    private var streams = [UInt32: Stream]()
    private var ids = [ObjectIdentifier: UInt32]()
    private(set) var peer = HTTP2Settings()
    private var sendQueue = CircularBuffer<UInt32>()
    /// How many bytes the peer takes on the connection.
    private var sendWindow = 65_535
    private var progress = SendProgress()
    /// The bytes that came and were not yet given back to the connection's window.
    private var unreturnedByteCount = 0
    private var idleFrames = HTTP2IdleFrames()
    private var pulse: HTTP2Pulse
    /// Streams for which something has come in this turn of the loop.
    private var touched = [Stream]()
    /// Whether no exchange may be started any more.
    private(set) var isRetiring = false
    private(set) var isClosed = false
    /// Whether it has finished an exchange.
    private var hasServed = false
    /// Why the peer ended the connection; nil until it sends GOAWAY.
    private(set) var goAwayCode: HTTP2ErrorCode?

    init(windowSize: Int, firstID: UInt32 = 1, pulse: HTTP2Pulse) {
        self.windowSize = Swift.min(Swift.max(windowSize, 64 * 1024), 16 * 1024 * 1024)
        self.firstID = firstID
        self.nextID = firstID
        self.pulse = pulse
    }

    // MARK: Streams

    var isEmpty: Bool { self.streams.isEmpty }
    var hasRoom: Bool { self.streams.count < self.peer.maximumConcurrentStreams }
    /// Whether it has carried an exchange, or carries one.
    var isUsed: Bool { self.nextID > self.firstID }
    /// All streams, in the order in which they began.
    var all: [Stream] { self.streams.values.sorted { $0.id < $1.id } }

    func isOpen(_ stream: Stream) -> Bool { self.streams[stream.id] === stream }

    func stream(of key: ObjectIdentifier) -> Stream? { self.ids[key].flatMap { self.streams[$0] } }

    /// A stream begins; the connection retires with the last one that can (RFC 9113 section 5.1.1).
    ///
    /// - Parameters:
    ///   - opening: Its exchange.
    ///   - gathered: The bytes that are gathered and not written.
    /// - Returns: The stream.
    mutating func open(_ opening: Stream.Opening, gathered: Int) -> Stream {
        let stream = Stream(
            opening,
            id: self.nextID,
            headMark: self.progress.writtenByteCount + Int64(gathered),
            sendWindow: self.peer.initialWindowSize,
            receiveWindow: self.windowSize
        )
        self.nextID += 2
        self.streams[stream.id] = stream
        self.ids[stream.key] = stream.id
        if self.nextID > HTTP2Settings.maximumStreamID { self.isRetiring = true }
        return stream
    }

    /// A stream is over; with the last one the connection retires if the peer owes an answer to a ping.
    ///
    /// It may be dead, and the next request would fail for the silence that this one has met.
    ///
    /// - Returns: Whether it was not before.
    mutating func remove(_ stream: Stream) -> Bool {
        guard self.isOpen(stream) else { return false }
        self.streams[stream.id] = nil
        self.ids[stream.key] = nil
        if self.streams.isEmpty, self.pulse.isUnanswered { self.isRetiring = true }
        return true
    }

    /// The response of a stream is complete.
    mutating func noteServed() { self.hasServed = true }

    /// How a stream that broke was lost.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - error: How it broke.
    ///   - dropsGathered: Whether what was gathered is dropped: a head in there never leaves this process, and the error says so.
    /// - Returns: How it was lost.
    func loss(of stream: Stream, _ error: inout TransportError, dropsGathered: Bool) -> ExchangeLoss {
        if dropsGathered, self.progress.writtenByteCount <= stream.headMark { error.isRequestSent = false }
        return .broken(isReused: self.hasServed || self.goAwayCode == .http11Required, hasResponse: stream.hasResponse)
    }

    /// No stream may begin any more.
    mutating func retire() { self.isRetiring = true }

    /// The connection is to be used no more.
    ///
    /// - Returns: Whether it was until now.
    mutating func close() -> Bool {
        defer { self.isClosed = true }
        return !self.isClosed
    }

    /// The stream of a frame; nil if it has ended on our side, so that the frame is late, as one behind the end of a response is.
    private func find(_ id: UInt32) throws(HTTP2Error) -> Stream? {
        if let stream = self.streams[id] { return stream }
        guard id % 2 == 1, id < self.nextID else {
            throw .violation("the server sent a frame on stream \(id), which is not open")
        }
        return nil
    }

    // MARK: Sending

    /// A part of a body waits to be sent.
    mutating func add(_ byteCount: Int, to stream: Stream) {
        stream.add(byteCount)
        self.enqueue(stream)
    }

    /// What waits is all that is left of the body.
    mutating func completeBody(of stream: Stream, now: NIODeadline) {
        stream.noteActivity(now)
        stream.completeBody()
        self.enqueue(stream)
    }

    /// The peer asks for the body that is held back, or has been silent for long enough.
    ///
    /// - Returns: Whether it is to be sent.
    mutating func endHolding(_ stream: Stream, now: NIODeadline) -> Bool {
        guard self.isOpen(stream), stream.endHolding() else { return false }
        stream.noteActivity(now)
        return true
    }

    /// Puts a stream that has something to send behind the others.
    private mutating func enqueue(_ stream: Stream) { if stream.enterQueue() { self.sendQueue.append(stream.id) } }

    /// The stream whose turn it is to send a frame, and how many bytes that may have; to be followed by ``sent(_:of:now:)``.
    ///
    /// A stream that waits for the connection's window keeps its turn.
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
            let window = Swift.min(self.sendWindow, stream.sendWindow, self.peer.maximumFrameSize)
            return (stream, stream.pendingByteCount == 0 ? 0 : Swift.min(window, stream.pendingByteCount))
        }
        return nil
    }

    /// A frame of a body was made.
    mutating func sent(_ byteCount: Int, of stream: Stream, now: NIODeadline) {
        self.sendWindow -= byteCount
        // The peer has to answer with window updates, which are no idle frames then.
        if byteCount > 0 {
            self.idleFrames.reset()
            self.progress.gathered(now)
        }
        stream.noteActivity(now)
        stream.sent(byteCount)
    }

    /// A part of a request was gathered; if its stream has more, that waits behind the other streams.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - isLast: Whether the request ends with it.
    ///   - gathered: The bytes that are gathered and not written.
    mutating func noteGathered(_ stream: Stream, isLast: Bool, gathered: Int) {
        stream.noteGathered(self.progress.gatheredRequest(gathered))
        if isLast { stream.noteRequestSent() } else { self.enqueue(stream) }
    }

    /// Whether anything was written: the connection preface, to begin with.
    var hasWritten: Bool { self.progress.writtenByteCount > 0 }

    /// What was gathered has been written.
    ///
    /// - Returns: Whether a part of a request was in it, so that what waits in the channel has to be noted.
    mutating func wrote(_ byteCount: Int) -> Bool { self.progress.wrote(byteCount) }

    // MARK: Receiving

    /// Bytes came, whatever they are.
    mutating func heard(_ now: NIODeadline) { self.pulse.heard(now) }

    /// The peer has answered a ping.
    mutating func pingAnswered() { self.pulse.answered() }

    /// A frame came.
    ///
    /// - Parameter id: The stream that it brings forward, if it does; what is sent behind the end of a response is no progress.
    /// - Throws: A fault if too many brought nothing forward.
    mutating func count(progressOn id: UInt32?) throws(HTTP2Error) {
        if let id, let stream = self.streams[id], !stream.isEnded { return self.idleFrames.reset() }
        try self.idleFrames.add(self.pulse.lastHeard)
    }

    /// A part of a body came.
    ///
    /// - Parameters:
    ///   - id: Its stream.
    ///   - byteCount: Its bytes.
    ///   - flowLength: Its bytes with their padding.
    ///   - isEnd: Whether it is the last one.
    /// - Returns: What to do with it.
    /// - Throws: A fault if nobody opened the stream, or the window was passed.
    mutating func data(_ id: UInt32, byteCount: Int, flowLength: Int, isEnd: Bool) throws(HTTP2Error) -> Reaction {
        self.unreturnedByteCount += flowLength
        guard let stream = try self.find(id), !stream.isEnded else { return .none }
        let now = self.pulse.lastHeard
        guard let error = try stream.data(byteCount, flowLength: flowLength, isEnd: isEnd, now: now) else {
            return .deliver(stream)
        }
        return .reject(stream, error, .protocolError)
    }

    /// A header block came, in which ``HTTP2Stream/head(_:isEnd:informationalLimit:)`` sees a head or trailers.
    ///
    /// - Returns: Its stream; nil if it is late.
    mutating func headers(_ id: UInt32) throws(HTTP2Error) -> Stream? {
        guard let stream = try self.find(id), !stream.isEnded else { return nil }
        stream.headers(now: self.pulse.lastHeard)
        return stream
    }

    /// The bytes to give back to the window of a stream whose consumer has room, if they are worth a frame.
    func takeWindow(of stream: Stream) -> Int? { stream.takeWindow(threshold: self.windowSize / 2) }

    /// The bytes to give back to the connection's window: what one stream does not read must not hold up the others.
    ///
    /// Whether the peer keeps to this window is not checked: what it can make us hold is bounded by the windows of the streams, which are.
    mutating func takeWindow() -> Int? {
        guard self.unreturnedByteCount >= HTTP2Settings.connectionWindow / 2 else { return nil }
        defer { self.unreturnedByteCount = 0 }
        return self.unreturnedByteCount
    }

    /// Something has come for the consumer of a stream, who is told at the end of the turn of the loop.
    ///
    /// - Returns: Whether it is the first thing in this turn.
    mutating func touch(_ stream: Stream) -> Bool {
        guard stream.touch() else { return false }
        self.touched.append(stream)
        return true
    }

    /// The open streams to whose consumers something has to be told.
    mutating func takeTouched() -> [Stream] {
        guard !self.touched.isEmpty else { return [] }
        defer { self.touched.removeAll(keepingCapacity: true) }
        for stream in self.touched { stream.endTurn() }
        return self.touched
    }

    // MARK: Ends, settings and windows

    /// The peer has reset a stream.
    mutating func reset(_ id: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2Error) -> Reaction {
        guard let stream = try self.find(id) else { return .none }
        if code == .noError, stream.isEnded {
            // The response is complete, and the rest of the request is not wanted (section 8.1).
            stream.abandonBody()
            stream.noteRequestSent()
            return .stopBody(stream)
        }
        stream.noteReset()
        if code == .http11Required, !stream.isEnded { return .fallBack(stream) }
        let error = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the server reset the stream: \(code)",
            // REFUSED_STREAM promises that nothing was done with the request (RFC 9113 section 8.7).
            // The peer contradicts itself where it has answered.
            isRequestSent: code != .refusedStream || stream.hasResponse
        )
        return .fail(stream, error)
    }

    /// The peer takes no more streams.
    ///
    /// - Parameters:
    ///   - last: The last one that it has taken.
    ///   - code: Why.
    /// - Returns: Those that it has not taken; one whose response is complete was taken, whatever the peer says.
    mutating func goAway(last: UInt32, code: HTTP2ErrorCode) -> [Stream] {
        self.isRetiring = true
        self.goAwayCode = code
        return self.all.filter { $0.id > last && !$0.isEnded }
    }

    /// The peer has told about itself.
    mutating func apply(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Error) -> HTTP2SettingsChange {
        let before = self.peer
        try self.peer.apply(settings)
        let change = self.peer.initialWindowSize - before.initialWindowSize
        for stream in self.streams.values where change != 0 {
            guard stream.openWindow(by: change) else {
                throw .violation("the server overflowed a flow-control window", .flowControlError)
            }
            self.enqueue(stream)
        }
        let sizes = self.peer.headerTableSizes
        let capacity = self.peer.maximumConcurrentStreams
        return HTTP2SettingsChange(
            headerTableSizes: sizes.allSatisfy { $0 == before.headerTableSize } ? [] : sizes,
            capacity: capacity == before.maximumConcurrentStreams ? nil : capacity
        )
    }

    /// The peer takes more bytes, on a stream or on the connection.
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
        // Only bytes that go out are progress; a window that lets none go is not.
        self.enqueue(stream)
        return .none
    }

    // MARK: Time

    /// Notes how many bytes wait in the channel after a write, and returns when to look whether the peer takes them; nil for never.
    mutating func noteUnsent(_ byteCount: Int, now: @autoclosure () -> NIODeadline) -> NIODeadline? {
        self.progress.note(waiting: byteCount)
        guard byteCount > 0 else { return nil }
        for stream in self.streams.values { stream.noteUnsent(byteCount, self.progress) }
        return self.nextLook(after: now())
    }

    /// When something is late on a stream, or the peer is to be asked whether it is alive.
    func deadline(of stream: Stream) -> NIODeadline? { .earlier(stream.deadline, self.pulse.deadline) }

    /// When the first of all streams is late, unless something happens.
    var deadline: NIODeadline? { self.streams.values.reduce(nil) { .earlier($0, $1.deadline) } }

    /// When to look whether the peer takes what waits in the channel, of all streams.
    func nextLook(after now: NIODeadline) -> NIODeadline? {
        self.streams.values.reduce(nil) { .earlier($0, $1.nextLook(after: now)) }
    }

    /// Looks for streams that are late, in the order in which they began, where so many bytes wait in the channel; ``HTTP2Stream`` says how.
    mutating func findLate(
        now: NIODeadline,
        unsentByteCount: Int,
        ourSide: (Stream) -> (isStalled: Bool, isReading: Bool)
    ) -> [(stream: Stream, error: TransportError)] {
        self.progress.note(waiting: unsentByteCount)
        let (hasTaken, progress) = (self.progress.takeDrain(), self.progress)
        if hasTaken { self.pulse.taken(now) }
        return self.all.compactMap { stream in
            stream.look(now, hasTaken, unsentByteCount, progress) { ourSide(stream) }.map { (stream, $0) }
        }
    }

    /// Asks whether a silent peer is alive, while there are streams; one that takes bytes, behind which the PING is, is only slow.
    mutating func checkPulse(_ now: NIODeadline) -> HTTP2Pulse.Check {
        self.streams.isEmpty ? .quiet(until: nil) : self.pulse.check(now)
    }
}
