// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Who is late on a connection of HTTP/2, and who is alive.
@Suite struct HTTP2StateTimeTests {
    typealias State = HTTP2ConnectionStateTests.State
    private typealias Subject = HTTP2ConnectionStateTests

    @Test func `empty and padded frames are no sign of life`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Subject.state()
        let stream = Subject.open(0, timeouts: timeouts, in: &state)
        stream.noteRequestSent()
        _ = try stream.head(200, isEnd: false, informationalLimit: 16)
        state.heard(Subject.start + .seconds(9))
        _ = try state.data(1, byteCount: 0, flowLength: 5, isEnd: false)
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(10))
        _ = try state.data(1, byteCount: 1, flowLength: 1, isEnd: false)
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(19))
        let late = state.findLate(now: Subject.start + .seconds(19), unsentByteCount: 0) { _ in (false, false) }
        #expect(late.map(\.stream.id) == [1])
        #expect(late.map(\.error.phase) == [.responseBody])
        #expect(state.findLate(now: Subject.start + .seconds(19), unsentByteCount: 0) { _ in (true, false) }.isEmpty)
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(29))
    }

    @Test(arguments: [
        // All was taken, and the source is asked for more.
        (0, true, 0, false),
        // Bytes wait for the window.
        (5, true, 0, true),
        // Bytes wait in the channel.
        (0, true, 100, true),
        // All was taken, and nobody is asked for more.
        (0, false, 0, true),
    ]) func `a source is the slow side only if the peer has taken all that came from it`(
        _ pending: Int,
        _ isReading: Bool,
        _ unsent: Int,
        _ isLate: Bool
    ) throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Subject.state()
        _ = try state.apply([(HTTP2Settings.Identifier.initialWindowSize, 100)])
        let stream = Subject.open(0, hasBody: true, timeouts: timeouts, in: &state)
        state.add(100 + pending, to: stream)
        _ = Subject.send(&state)
        _ = state.wrote(100)
        _ = state.noteUnsent(unsent, now: Subject.start)
        let late = state.findLate(now: Subject.start + .seconds(10), unsentByteCount: unsent) { _ in (false, isReading)
        }
        #expect(late.isEmpty == !isLate)
    }

    @Test func `a peer that takes bytes is slow and not silent`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Subject.state()
        let stream = Subject.open(0, hasBody: true, timeouts: timeouts, in: &state)
        state.add(100, to: stream)
        _ = Subject.send(&state)
        #expect(state.wrote(100) == true)
        _ = state.noteUnsent(100, now: Subject.start)
        #expect(state.findLate(now: Subject.start + .seconds(10), unsentByteCount: 99) { _ in (false, false) }.isEmpty)
        #expect(
            state.findLate(now: Subject.start + .seconds(20), unsentByteCount: 99) { _ in (false, false) }.count == 1
        )
    }

    @Test(.bug(id: "F348")) func `the peer of a body is looked at more often than the limit`() {
        var timeouts = Timeouts()
        timeouts.requestBody = .seconds(10)
        var state = Subject.state()
        let stream = Subject.open(0, hasBody: true, timeouts: timeouts, in: &state)
        let other = Subject.open(1, timeouts: timeouts, in: &state)
        #expect(stream.nextLook(after: Subject.start) == Subject.start + .milliseconds(2_500))
        #expect(other.nextLook(after: Subject.start) == Subject.start + .seconds(10))
    }

    @Test(.bug(id: "F349")) func `a body that waits for permission is not late, and has its whole limit then`() {
        var timeouts = Timeouts()
        timeouts.requestBody = .seconds(10)
        var state = Subject.state()
        let stream = Subject.open(0, hasBody: true, awaitsContinue: true, timeouts: timeouts, in: &state)
        func isLate(at seconds: Int64) -> Bool {
            !state.findLate(now: Subject.start + .seconds(seconds), unsentByteCount: 0) { _ in (false, false) }.isEmpty
        }
        #expect(!isLate(at: 10))
        let isHeld = state.endHolding(stream, now: Subject.start + .seconds(12))
        #expect(isHeld)
        #expect(!isLate(at: 21))
        #expect(isLate(at: 22))
    }

    @Test(.bug(id: "F292")) func `a window that lets no byte go is no sign of life`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Subject.state()
        let stream = Subject.open(0, hasBody: true, timeouts: timeouts, in: &state)
        state.add(100_000, to: stream)
        while Subject.send(&state) != nil {}
        state.heard(Subject.start + .seconds(9))
        // The connection's window is used up.
        _ = try state.openWindow(1, by: 10)
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(10))
        _ = try state.openWindow(0, by: 10)
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(10))
        guard let (next, limit) = state.nextToSend() else {
            Issue.record("nothing is sent although both windows are open")
            return
        }
        #expect(limit == 10)
        state.sent(limit, of: next, isLast: false, gathered: limit, now: Subject.start + .seconds(9))
        #expect(Subject.deadline(of: stream) == Subject.start + .seconds(19))
    }

    /// Three bodies of which a frame each is written; the connection's window has room for one more frame.
    private static func state(ofThreeBodies timeouts: Timeouts) -> State {
        var state = Subject.state()
        let streams = (0..<3).map { Subject.open($0, hasBody: true, timeouts: timeouts, in: &state) }
        for stream in streams { state.add(100_000, to: stream) }
        for turn in 1...3 {
            guard let (stream, limit) = state.nextToSend() else { break }
            state.sent(limit, of: stream, isLast: false, gathered: turn * 16_384, now: Subject.start)
        }
        _ = state.wrote(3 * 16_384)
        return state
    }

    @Test(.bug(id: "F351"), arguments: [true, false])
    func `a body that waits for its turn behind others is not late while the peer takes bytes`(_ drains: Bool) throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Self.state(ofThreeBodies: timeouts)
        // The frames of the first two have left the channel.
        _ = state.noteUnsent(drains ? 16_384 : 0, now: Subject.start)
        if !drains {
            let next = state.nextToSend()
            let (stream, limit) = try #require(next)
            #expect(stream.id == 1)
            state.sent(limit, of: stream, isLast: false, gathered: limit, now: Subject.start + .seconds(9))
            _ = state.wrote(limit)
            _ = state.noteUnsent(0, now: Subject.start)
        }
        let unsent = drains ? 16_383 : 0
        #expect(
            state.findLate(now: Subject.start + .seconds(10), unsentByteCount: unsent) { _ in (false, false) }.isEmpty
        )
        // Bytes of any body restart the time, no look does.
        let end = Subject.start + .seconds(drains ? 20 : 19)
        #expect(Subject.deadline(state) == end)
        let late = state.findLate(now: end, unsentByteCount: unsent) { _ in (false, false) }
        #expect(late.map(\.error.phase) == [.requestBody, .requestBody, .requestBody])
    }

    @Test(.bug(id: "F351")) func `a body whose own window is closed is late although others go out`() throws {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        var state = Self.state(ofThreeBodies: timeouts)
        _ = state.noteUnsent(0, now: Subject.start)
        _ = try state.apply([(HTTP2Settings.Identifier.initialWindowSize, 16_384)])
        _ = try state.openWindow(1, by: 10)
        let next = state.nextToSend()
        let (stream, limit) = try #require(next)
        #expect(stream.id == 1)
        state.sent(limit, of: stream, isLast: false, gathered: limit, now: Subject.start + .seconds(9))
        let late = state.findLate(now: Subject.start + .seconds(10), unsentByteCount: 0) { _ in (false, false) }
        #expect(late.map(\.stream.id) == [3, 5])
    }

    /// What the timer does at a time at which so many bytes wait in the channel.
    static func check(_ state: inout State, at seconds: Int64, unsent: Int) -> HTTP2Pulse.Check {
        let now = Subject.start + .seconds(seconds)
        _ = state.findLate(now: now, unsentByteCount: unsent) { _ in (false, false) }
        return state.checkPulse(now)
    }

    @Test(.bug(id: "F291")) func `a peer that takes bytes need not have come to the ping behind them`() {
        var state = Subject.state(ping: .seconds(10))
        let stream = Subject.open(0, hasBody: true, in: &state)
        state.add(1_000, to: stream)
        _ = Subject.send(&state)
        #expect(state.wrote(1_000) == true)
        _ = state.noteUnsent(1_000, now: Subject.start)
        #expect(Self.check(&state, at: 10, unsent: 1_000) == .ping(until: Subject.start + .seconds(15)))
        #expect(Self.check(&state, at: 15, unsent: 900) == .quiet(until: Subject.start + .seconds(20)))
        // What was noticed at a write between two looks counts as well.
        _ = state.noteUnsent(800, now: Subject.start)
        #expect(Self.check(&state, at: 20, unsent: 800) == .quiet(until: Subject.start + .seconds(25)))
        #expect(Self.check(&state, at: 25, unsent: 800) == .dead(after: .seconds(5)))
    }

    @Test(.bug(id: "F291")) func `bytes that the system takes say nothing about the peer`() {
        var state = Subject.state(ping: .seconds(10))
        _ = Subject.open(0, in: &state)
        _ = state.wrote(100)
        #expect(Self.check(&state, at: 10, unsent: 0) == .ping(until: Subject.start + .seconds(15)))
        // The ping itself.
        _ = state.wrote(17)
        #expect(Self.check(&state, at: 15, unsent: 0) == .dead(after: .seconds(5)))
    }

    @Test func `a silent peer is asked whether it is alive, while there are streams`() throws {
        var state = Subject.state(ping: .seconds(10))
        #expect(state.checkPulse(Subject.start + .seconds(60)) == .quiet(until: nil))
        let stream = Subject.open(0, in: &state)
        #expect(state.nextLook(at: stream, after: Subject.start) == Subject.start + .seconds(10))
        #expect(state.checkPulse(Subject.start + .seconds(9)) == .quiet(until: Subject.start + .seconds(10)))
        #expect(state.checkPulse(Subject.start + .seconds(10)) == .ping(until: Subject.start + .seconds(15)))
        #expect(state.checkPulse(Subject.start + .seconds(11)) == .quiet(until: Subject.start + .seconds(15)))
        state.heard(Subject.start + .seconds(12))
        #expect(state.checkPulse(Subject.start + .seconds(15)) == .quiet(until: Subject.start + .seconds(22)))
        #expect(state.checkPulse(Subject.start + .seconds(22)) == .ping(until: Subject.start + .seconds(27)))
        #expect(state.checkPulse(Subject.start + .seconds(27)) == .dead(after: .seconds(5)))
    }

    @Test(
        arguments: [
            // Nothing has come since the peer was asked.
            (nil, true),
            // Anything that comes shows that it is alive.
            (11, false),
        ] as [(Int64?, Bool)]
    ) func `a connection whose peer owes an answer to a ping retires with its last stream`(
        _ heard: Int64?,
        _ retires: Bool
    ) {
        var state = Subject.state(ping: .seconds(10))
        let streams = (0..<2).map { Subject.open($0, in: &state) }
        #expect(state.checkPulse(Subject.start + .seconds(10)) == .ping(until: Subject.start + .seconds(15)))
        if let heard { state.heard(Subject.start + .seconds(heard)) }
        _ = state.remove(streams[0])
        #expect(state.isRetiring == false)
        _ = state.remove(streams[1])
        #expect(state.isRetiring == retires)
    }
}
