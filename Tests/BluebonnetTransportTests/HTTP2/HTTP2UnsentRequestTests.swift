// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Requests that are complete and wait in the channel: the limit on the response's head counts from when they have left.
@Suite struct HTTP2UnsentRequestTests {
    typealias State = HTTP2ConnectionStateTests.State

    static let start = HTTP2ConnectionStateTests.start

    /// The limit on the response's head is twelve seconds, so that looks are three seconds apart.
    static var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.idle = nil
        timeouts.responseHead = .seconds(12)
        return timeouts
    }

    static func state() -> State { HTTP2ConnectionStateTests.state() }

    static func open(
        _ number: Int,
        hasBody: Bool = false,
        timeouts: Timeouts = timeouts,
        gathered: Int = 0,
        in state: inout State
    ) -> State.Stream {
        HTTP2ConnectionStateTests.open(
            number,
            hasBody: hasBody,
            timeouts: timeouts,
            gathered: gathered,
            in: &state
        )
    }

    /// Looks at a time at which so many bytes wait in the channel.
    ///
    /// - Returns: The phases in which streams are late, and the seconds until the next look; nil if that is at the deadline.
    static func look(_ state: inout State, at seconds: Int64, unsent: Int) -> (late: [ExchangePhase], next: Int64?) {
        let now = Self.start + .seconds(seconds)
        let late = state.findLate(now: now, unsentByteCount: unsent) { _ in (false, false) }
        let next = state.nextLook(after: now)
        let isDeadline = next == HTTP2ConnectionStateTests.deadline(state)
        return (
            late.map(\.error.phase), isDeadline ? nil : next.map { ($0 - now).nanoseconds / 1_000_000_000 }
        )
    }

    @Test(.bug(id: "F380")) func `a request without a body waits behind what was gathered before it`() {
        var state = Self.state()
        let stream = Self.open(0, gathered: 300_000, in: &state)
        state.sent(0, of: stream, isLast: true, gathered: 300_100, now: Self.start)
        #expect(stream.isRequestSent)
        #expect(state.wrote(300_100) == true)
        #expect(state.noteUnsent(250_000, now: Self.start) == Self.start + .seconds(3))
        for (time, unsent) in [(3, 200_000), (6, 100_000), (9, 50_000), (12, 100), (15, 1)] {
            let (late, next) = Self.look(&state, at: Int64(time), unsent: unsent)
            #expect(late.isEmpty && next == 3, "\(time)")
        }
        // It has left between two looks; the limit counts from the later one.
        let (late, next) = Self.look(&state, at: 18, unsent: 0)
        #expect(late.isEmpty && next == nil)
        #expect(HTTP2ConnectionStateTests.deadline(state) == Self.start + .seconds(30))
        #expect(Self.look(&state, at: 30, unsent: 0).late == [.responseHead])
    }

    @Test(.bug(id: "F380")) func `the limit counts from when the last bytes of a body have left`() {
        var state = Self.state()
        let stream = Self.open(0, hasBody: true, in: &state)
        state.add(16_000, to: stream)
        state.completeBody(of: stream, now: Self.start)
        #expect(HTTP2ConnectionStateTests.send(&state) == [1, 16_000])
        #expect(stream.isRequestSent)
        _ = state.wrote(16_000)
        #expect(state.noteUnsent(16_000, now: Self.start) == Self.start + .seconds(3))
        // The peer takes the first of them late, and all the rest shortly before the limit.
        for (time, unsent) in [(3, 16_000), (6, 16_000), (9, 15_000)] {
            let (late, next) = Self.look(&state, at: Int64(time), unsent: unsent)
            #expect(late.isEmpty && next == 3, "\(time)")
        }
        let (late, next) = Self.look(&state, at: 20, unsent: 0)
        #expect(late.isEmpty && next == nil)
        #expect(HTTP2ConnectionStateTests.deadline(state) == Self.start + .seconds(32))
    }

    @Test(.bug(id: "F380")) func `a later write does not hide that a request has left`() {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        state.sent(0, of: stream, isLast: true, gathered: 100, now: Self.start)
        _ = state.wrote(100)
        _ = state.noteUnsent(100, now: Self.start)
        var timeouts = Self.timeouts
        timeouts.responseHead = nil
        let other = Self.open(1, timeouts: timeouts, in: &state)
        state.sent(0, of: other, isLast: true, gathered: 100, now: Self.start)
        _ = state.wrote(100)
        _ = state.noteUnsent(100, now: Self.start)
        #expect(Self.look(&state, at: 12, unsent: 100).late == [])
        #expect(HTTP2ConnectionStateTests.deadline(state) == Self.start + .seconds(24))
    }

    @Test(.bug(id: "F380")) func `a peer that takes nothing of a request is late`() {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        state.sent(0, of: stream, isLast: true, gathered: 100, now: Self.start)
        _ = state.wrote(100)
        _ = state.noteUnsent(100, now: Self.start)
        #expect(Self.look(&state, at: 9, unsent: 100).late == [])
        #expect(Self.look(&state, at: 12, unsent: 100).late == [.responseHead])
    }

    @Test(.bug(id: "F380")) func `nobody looks at a request that has left at once, or whose body waits elsewhere`() {
        var state = Self.state()
        let stream = Self.open(0, in: &state)
        state.sent(0, of: stream, isLast: true, gathered: 100, now: Self.start)
        _ = state.wrote(100)
        #expect(state.noteUnsent(0, now: Self.start) == nil)
        #expect(state.nextLook(after: Self.start) == Self.start + .seconds(12))
        // A ping is no part of a request.
        #expect(state.wrote(17) == false)
    }
}
