// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// The decisions on a connection of HTTP/2, event by event.
@Suite struct HTTP2ConnectionStateTests {
    typealias State = HTTP2ConnectionState<Int>

    /// What an exchange is found by.
    final class Key {}

    static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    static func state(windowSize: Int = 64 * 1024, firstID: UInt32 = 1, ping: Duration? = nil) -> State {
        let pulse = HTTP2Pulse(interval: ping, timeout: .seconds(5), now: Self.start)
        return State(windowSize: windowSize, firstID: firstID, pulse: pulse)
    }

    static func open(
        _ number: Int,
        _ key: Key = Key(),
        hasBody: Bool = false,
        awaitsContinue: Bool = false,
        timeouts: Timeouts = Timeouts(),
        total: NIODeadline? = nil,
        now: NIODeadline = start,
        gathered: Int = 0,
        in state: inout State
    ) -> State.Stream {
        state.open(
            number,
            key: ObjectIdentifier(key),
            hasBody: hasBody,
            awaitsContinue: awaitsContinue,
            clock: StageClock(timeouts, total: total, now: now),
            gathered: gathered
        )
    }

    /// The earliest deadline of a stream; a check that is due while a body is sent is later.
    static func deadline(of stream: State.Stream) -> NIODeadline? { stream.nextLook(after: Self.start + .hours(1)) }

    /// The earliest deadline of all streams.
    static func deadline(_ state: borrowing State) -> NIODeadline? { state.nextLook(after: Self.start + .hours(1)) }

    /// A reaction as a line of text.
    static func text(_ reaction: State.Reaction) -> String {
        switch reaction {
        case .none: "none"
        case .deliver(let stream): "deliver \(stream.id)"
        case .stopBody(let stream): "stop the body of \(stream.id)"
        case .fallBack(let stream): "HTTP/1.1 for \(stream.id)"
        case .refuse(let stream, let error): "refuse \(stream.id)\(error.isRequestSent ? "" : ", nothing done")"
        case .fail(let stream, let error): "fail \(stream.id)\(error.isRequestSent ? "" : ", nothing done")"
        case .reject(let stream, _, let code): "reject \(stream.id) with \(code)"
        }
    }

    /// The stream that is next, and how much of it; the frame is made.
    static func send(_ state: inout State) -> [Int]? {
        guard let (stream, limit) = state.nextToSend() else { return nil }
        let isLast = stream.isLast(limit)
        state.sent(limit, of: stream, isLast: isLast, gathered: limit, now: Self.start)
        return [Int(stream.id), limit]
    }

    // MARK: Sending

    @Test func `streams with something to send take turns, a frame each, within all windows`() throws {
        var state = Self.state()
        let streams = (0..<3).map { Self.open($0, hasBody: true, in: &state) }
        for stream in streams {
            state.add(40_000, to: stream)
            state.completeBody(of: stream, now: Self.start)
        }
        var turns = [[Int]]()
        while let turn = Self.send(&state) { turns.append(turn) }
        #expect(turns == [[1, 16384], [3, 16384], [5, 16384], [1, 16383]])
        // Whose turn it was keeps it.
        #expect(Self.text(try state.openWindow(0, by: 100_000)) == "none")
        #expect(Self.send(&state) == [3, 16384])
        #expect(Self.send(&state) == [5, 16384])
        #expect(Self.send(&state) == [1, 7233])
        #expect(streams[0].isRequestSent)
    }

    @Test func `an end without bytes needs no window`() {
        var state = Self.state()
        let (full, empty) = (
            Self.open(0, hasBody: true, in: &state),
            Self.open(1, hasBody: true, in: &state)
        )
        state.add(65_536, to: full)
        while Self.send(&state) != nil {}
        #expect(full.pendingByteCount == 1)
        state.completeBody(of: empty, now: Self.start)
        #expect(Self.send(&state) == [3, 0])
        #expect(empty.isRequestSent)
        #expect(Self.send(&state) == nil)
    }

    @Test func `a body that is held back is sent once, and not after a final response`() throws {
        var state = Self.state()
        let asked = Self.open(0, hasBody: true, awaitsContinue: true, in: &state)
        state.completeBody(of: asked, now: Self.start)
        #expect(state.nextToSend()?.limit == nil)
        #expect(state.endHolding(asked, now: Self.start) == true)
        #expect(state.endHolding(asked, now: Self.start) == false)
        let refused = Self.open(1, hasBody: true, awaitsContinue: true, in: &state)
        #expect(try refused.head(200, isEnd: false, informationalLimit: 16) == .final(stopsBody: true))
        #expect(state.endHolding(refused, now: Self.start) == false)
    }

    @Test(.bug(id: "F293"), arguments: [200, 302, 413, 500])
    func `a final response does not end a body that is under way`(_ status: Int) throws {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        state.add(100, to: stream)
        _ = try state.headers(1)
        #expect(try stream.head(status, isEnd: false, informationalLimit: 16) == .final(stopsBody: false))
        state.completeBody(of: stream, now: Self.start)
        #expect(Self.send(&state) == [1, 100])
        #expect(stream.isRequestSent)
    }

    @Test func `the settings of the peer move every window, also below zero`() throws {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        state.add(50_000, to: stream)
        _ = Self.send(&state)
        #expect(
            try state.apply([(HTTP2Settings.Identifier.initialWindowSize, 0)]).capacity == 1000
        )
        #expect(stream.sendWindow == -16384)
        #expect(Self.send(&state) == nil)
        #expect(Self.text(try state.openWindow(1, by: 16385)) == "none")
        #expect(Self.send(&state) == [1, 1])
        #expect(throws: HTTP2Error.self) {
            _ = try state.openWindow(1, by: 0x7FFF_FFFF)
            _ = try state.apply([(HTTP2Settings.Identifier.initialWindowSize, 1)])
        }
    }

    // MARK: Frames of streams

    @Test func `frames find their stream, are late, or belong to nobody`() throws {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        #expect(
            Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)) == "reject 1 with PROTOCOL_ERROR"
        )
        #expect(try stream.head(200, isEnd: false, informationalLimit: 16) == .final(stopsBody: false))
        #expect(Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: true)) == "deliver 1")
        #expect(Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)) == "none")
        #expect(state.remove(stream) == true)
        #expect(state.remove(stream) == false)
        #expect(Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)) == "none")
        #expect(Self.text(try state.reset(1, .cancel)) == "none")
        #expect(Self.text(try state.openWindow(1, by: 0)) == "none")
        #expect(try state.headers(1)?.id == nil)
        for id: UInt32 in [2, 3, 0x7FFF_FFFF] {
            #expect(throws: HTTP2Error.self) { _ = try state.data(id, byteCount: 0, flowLength: 0, isEnd: true) }
            #expect(throws: HTTP2Error.self) { _ = try state.headers(id) }
            #expect(throws: HTTP2Error.self) { _ = try state.reset(id, .cancel) }
            #expect(throws: HTTP2Error.self) { _ = try state.openWindow(id, by: 1) }
        }
    }

    @Test(.bug(id: "F711")) func `the first settings announce a limit, also one that was assumed before`() throws {
        var state = Self.state()
        #expect(Self.open(0, in: &state).isEarly)
        #expect(try state.apply([(3, 100)]).capacity == 100)
        #expect(!Self.open(1, in: &state).isEarly)
        #expect(try state.apply([(3, 100)]).capacity == nil)
    }

    @Test(arguments: [
        (HTTP2ErrorCode.noError, true, "stop the body of 1"), (.noError, false, "fail 1"), (.cancel, true, "fail 1"),
        (.refusedStream, false, "refuse 1, nothing done"), (.refusedStream, true, "fail 1"),
        (.http11Required, false, "HTTP/1.1 for 1"), (.http11Required, true, "fail 1"),
    ]) func `what a reset means`(_ code: HTTP2ErrorCode, _ isEnded: Bool, _ expected: String) throws {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        if isEnded {
            _ = try state.headers(1)
            _ = try stream.head(200, isEnd: true, informationalLimit: 16)
        }
        #expect(Self.text(try state.reset(1, code)) == expected)
        #expect(stream.isRequestSent == expected.hasPrefix("stop"))
        // Nothing may be sent on it any more.
        #expect(stream.isClosed)
    }

    @Test(.bug(id: "F296")) func `a stream is closed when both sides have ended it`() throws {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        _ = try state.headers(1)
        _ = try stream.head(200, isEnd: true, informationalLimit: 16)
        #expect(!stream.isClosed, "the request goes on")
        stream.noteRequestSent()
        #expect(stream.isClosed)
        let open = Self.open(1, in: &state)
        open.noteRequestSent()
        #expect(!open.isClosed, "the response goes on")
    }

    @Test(.bug(id: "F294")) func `what follows the end of a response is late`() throws {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        _ = try state.headers(1)
        _ = try stream.head(200, isEnd: true, informationalLimit: 16)
        #expect(try state.headers(1)?.id == nil)
        #expect(Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)) == "none")
        for increment in [0, 0x7FFF_FFFF] { #expect(Self.text(try state.openWindow(1, by: increment)) == "none") }
        #expect(stream.sendWindow == 65_535)
        // The rest of the request may still be sent.
        #expect(Self.text(try state.openWindow(1, by: 1)) == "none")
        #expect(stream.sendWindow == 65_536)
        #expect(state.goAway(last: 0, code: .noError).map(\.id) == [])
        #expect(state.goAway(last: 0, code: .http11Required).map(\.id) == [])
        // It is no progress either.
        for _ in 3..<HTTP2IdleFrames.limit + 1 { _ = try state.headers(1) }
        #expect(throws: HTTP2Error.self) { _ = try state.headers(1) }
    }

    @Test(.bug(id: "F294")) func `the limit of the whole exchange runs to the end of the response`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(100)
        var state = Self.state()
        let key = Key()
        let stream = Self.open(0, key, timeouts: timeouts, total: Self.start + .seconds(5), in: &state)
        stream.noteRequestSent()
        _ = try state.headers(1)
        _ = try stream.head(200, isEnd: false, informationalLimit: 16)
        #expect(Self.deadline(of: stream) == Self.start + .seconds(5))
        let late = state.findLate(now: Self.start + .seconds(5), unsentByteCount: 0) { _ in (true, false) }
        #expect(late.map(\.error.phase) == [.total])
        _ = try state.data(1, byteCount: 1, flowLength: 1, isEnd: true)
        #expect(Self.deadline(of: stream) == Self.start + .seconds(100))
        #expect(state.findLate(now: Self.start + .seconds(6), unsentByteCount: 0) { _ in (true, false) }.isEmpty)
    }

    @Test func `a window that opens by nothing or too far costs the stream, or the connection`() throws {
        var state = Self.state()
        _ = Self.open(0, in: &state)
        #expect(Self.text(try state.openWindow(1, by: 0)) == "reject 1 with PROTOCOL_ERROR")
        #expect(Self.text(try state.openWindow(1, by: 0x7FFF_FFFF)) == "reject 1 with FLOW_CONTROL_ERROR")
        #expect(throws: HTTP2Error.self) { _ = try state.openWindow(0, by: 0) }
        #expect(throws: HTTP2Error.self) { _ = try state.openWindow(0, by: 0x7FFF_FFFF) }
    }

    @Test func `a body has the length that its head told`() throws {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        _ = try stream.head(200, isEnd: false, informationalLimit: 16)
        stream.expect(3)
        #expect(Self.text(try state.data(1, byteCount: 2, flowLength: 9, isEnd: false)) == "deliver 1")
        #expect(throws: TransportError.self) { try stream.checkLength() }
        #expect(Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)) == "deliver 1")
        try stream.checkLength()
        #expect(
            Self.text(try state.data(1, byteCount: 1, flowLength: 1, isEnd: true)) == "reject 1 with PROTOCOL_ERROR"
        )
    }

    @Test func `heads come in their order`() throws {
        let stream: State.Stream
        do {
            var state = Self.state()
            stream = Self.open(0, in: &state)
        }
        #expect(throws: TransportError.self) { try stream.head(nil, isEnd: false, informationalLimit: 2) }
        #expect(throws: TransportError.self) { try stream.head(101, isEnd: false, informationalLimit: 2) }
        #expect(throws: TransportError.self) { try stream.head(103, isEnd: true, informationalLimit: 2) }
        for _ in 0..<2 { #expect(try stream.head(103, isEnd: false, informationalLimit: 2) == .informational) }
        #expect(throws: TransportError.self) { try stream.head(103, isEnd: false, informationalLimit: 2) }
        #expect(try stream.head(200, isEnd: false, informationalLimit: 2) == .final(stopsBody: false))
        #expect(throws: TransportError.self) { try stream.head(200, isEnd: false, informationalLimit: 2) }
        #expect(throws: TransportError.self) { try stream.head(nil, isEnd: false, informationalLimit: 2) }
        #expect(try stream.head(nil, isEnd: true, informationalLimit: 2) == .trailers)
        #expect(throws: TransportError.self) { try stream.head(nil, isEnd: true, informationalLimit: 2) }
    }

    // MARK: The connection

    @Test func `a connection retires with its last number`() throws {
        var state = Self.state(firstID: HTTP2Settings.maximumStreamID - 2)
        _ = Self.open(0, in: &state)
        #expect(state.isRetiring == false)
        let last = Self.open(1, in: &state)
        #expect(state.isRetiring == true)
        #expect(last.id == HTTP2Settings.maximumStreamID)
        #expect(try state.headers(last.id) === last)
    }

    @Test func `GOAWAY names those that were not taken`() {
        var state = Self.state()
        let streams = (0..<4).map { Self.open($0, in: &state) }
        #expect(state.remove(streams[3]) == true)
        #expect(state.goAway(last: 3, code: .noError).map(\.id) == [5])
        #expect(state.isRetiring == true)
        #expect(state.goAway(last: 0, code: .http11Required).map(\.id) == [1, 3, 5])
        #expect(state.goAwayCode == .http11Required)
    }

    @Test func `a head that was gathered and not written has not been sent`() {
        var state = Self.state()
        _ = state.wrote(50)
        let stream = Self.open(0, gathered: 7, in: &state)
        state.fail()
        for (written, isSent) in [(0, false), (7, false), (1, true)] {
            _ = state.wrote(written)
            var error = TransportError.closedEarly(isRequestSent: true)
            #expect(state.loss(of: stream, &error) == .broken(isReused: false, hasResponse: false))
            #expect(error.isRequestSent == isSent)
        }
    }

    @Test func `frames without progress are counted, and progress is for open streams only`() throws {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        for _ in 0..<HTTP2IdleFrames.limit { try state.countIdle() }
        _ = try state.headers(1)
        for _ in 0..<HTTP2IdleFrames.limit { try state.countIdle() }
        #expect(throws: HTTP2Error.self) { try state.countIdle() }
        _ = state.remove(stream)
        #expect(throws: HTTP2Error.self) { _ = try state.headers(1) }
        // Over a long time they do no harm.
        state.heard(Self.start + HTTP2IdleFrames.span + .seconds(1))
        try state.countIdle()
    }

    @Test(.bug(id: "F628"))
    func `late frames with bytes that the window of their stream allowed are not idle`() throws {
        var state = Self.state(windowSize: 64 * 1024)
        let (reset, ended) = (Self.open(0, in: &state), Self.open(1, in: &state))
        _ = try ended.head(200, isEnd: true, informationalLimit: 16)
        #expect(state.remove(reset) == true)
        // A stream that the server has ended adds nothing.
        #expect(state.remove(ended) == true)
        let count = 64 * 1024 / 4
        #expect(count > HTTP2IdleFrames.limit)
        for _ in 0..<count { _ = try state.data(1, byteCount: 4, flowLength: 4, isEnd: false) }
        for _ in 0..<HTTP2IdleFrames.limit { _ = try state.data(1, byteCount: 4, flowLength: 4, isEnd: false) }
        #expect(throws: HTTP2Error.self) { _ = try state.data(1, byteCount: 4, flowLength: 4, isEnd: false) }
    }

    @Test(.bug(id: "F628")) func `late frames of padding are idle`() throws {
        var state = Self.state()
        _ = state.remove(Self.open(0, in: &state))
        for _ in 0..<HTTP2IdleFrames.limit { _ = try state.data(1, byteCount: 0, flowLength: 1, isEnd: false) }
        #expect(throws: HTTP2Error.self) { _ = try state.data(1, byteCount: 0, flowLength: 1, isEnd: false) }
    }

    @Test(.bug(id: "F631"), arguments: [HTTP2ErrorCode.cancel, .enhanceYourCalm, HTTP2ErrorCode(rawValue: 2)])
    func `a stream that the server reset is not lost with a kept connection`(_ code: HTTP2ErrorCode) throws {
        var state = Self.state()
        state.noteServed()
        let (reset, other) = (Self.open(0, in: &state), Self.open(1, in: &state))
        guard case .fail(_, let failure) = try state.reset(1, code) else {
            Issue.record("the stream does not fail")
            return
        }
        #expect(failure.cause == .streamReset)
        var error = TransportError.closedEarly(isRequestSent: true)
        #expect(state.loss(of: reset, &error) == .broken(isReused: false, hasResponse: false))
        #expect(state.loss(of: other, &error) == .broken(isReused: true, hasResponse: false))
    }

    @Test(arguments: [
        ([0, 4096], [0, 4096]), ([100, 0, 200], [100, 0, 200]), ([4096], []), ([4096, 4096], []), ([], []),
    ]) func `each size of the table that the settings name counts`(_ named: [UInt32], _ told: [Int]) throws {
        var state = Self.state()
        let settings = named.map { (HTTP2Settings.Identifier.headerTableSize, $0) }
        #expect(try state.apply(settings).headerTableSizes == told)
        #expect(try state.apply([]).headerTableSizes == [])
    }
}
