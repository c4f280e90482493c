// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// The back-off after failed attempts to connect, event by event.
@Suite struct PoolBackoffTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    private static let key = PoolKey(origin: Origin(scheme: .http, host: "example.com"))
    private static let other = PoolKey(origin: Origin(scheme: .http, host: "example.org"))
    private static let start = NIODeadline.uptimeNanoseconds(1_000)

    /// A pool with a back-off of 100 ms, 200 ms and so on, up to 5 s.
    private static func makeState(_ change: (inout State.Rules) -> Void = { _ in }) -> State {
        var rules = State.Rules(maximumPerKey: 2)
        rules.backoff = NIOTransport.ConnectBackoff()
        change(&rules)
        return State(rules: rules) { $0.isWanted }
    }

    private static func at(_ milliseconds: Int64) -> NIODeadline { Self.start + .milliseconds(milliseconds) }

    private static func submit(
        _ state: inout State,
        _ number: Int,
        at time: Int64,
        _ key: PoolKey = Self.key,
        sharing: State.Sharing = .never,
        patience: TimeAmount? = nil
    ) -> String {
        let request = FakeRequest(number)
        let action = state.submit(request, key: key, sharing: sharing, patience: patience, now: Self.at(time)) { _ in
            nil
        }
        return PoolStateTests.name(action)
    }

    /// Lets the attempt that is under way fail, with the longest delay there can be.
    private static func fail(_ state: inout State, at time: Int64, counts: Bool = true) -> [Int] {
        let (failed, dial) = state.connectFailed(key: Self.key, counts: counts, jitter: 1, now: Self.at(time))
        #expect(dial == nil)
        return failed.map(\.number)
    }

    /// The requests for which a look at a time makes connections.
    private static func sweep(_ state: inout State, at time: Int64) -> [Int] {
        state.sweep(now: Self.at(time)).dials.map(\.request.number)
    }

    @Test(arguments: [
        (1, 0.0, 50), (1, 0.5, 75), (1, 1, 100), (1, -3, 50), (1, 7, 100), (2, 1, 200), (3, 1, 400), (6, 1, 3_200),
        (7, 1, 5_000), (7, 0, 2_500), (1_000_000, 1, 5_000),
    ]) func `a delay doubles up to the longest, and is half of it at least`(
        _ count: Int,
        _ jitter: Double,
        _ milliseconds: Int64
    ) {
        #expect(NIOTransport.ConnectBackoff().delay(after: count, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test func `delays without sense are no delays`() {
        let negative = NIOTransport.ConnectBackoff(initial: .seconds(-1), maximum: .seconds(-1))
        #expect(negative.delay(after: 3, jitter: 1) == .nanoseconds(0))
        let longest = NIOTransport.ConnectBackoff(initial: .seconds(Int64.max), maximum: .seconds(Int64.max))
        #expect(longest.delay(after: 3, jitter: 1) > .hours(1))
    }

    @Test func `the first failure is reported at once, and what comes next waits and is tried once for all`() {
        var state = Self.makeState()
        #expect(Self.submit(&state, 0, at: 0) == "connect")
        #expect(Self.fail(&state, at: 10) == [0])
        #expect((1..<5).map { Self.submit(&state, $0, at: 20) } == ["wait", "wait", "wait", "wait"])
        #expect(state.scheduleSweep() == Self.at(110))
        #expect(Self.sweep(&state, at: 109) == [])
        #expect(Self.sweep(&state, at: 110) == [1], "one for all, though two connections would be allowed")
        #expect(Self.submit(&state, 5, at: 115) == "wait", "it waits for the attempt that is under way")
        #expect(Self.fail(&state, at: 120) == [1, 2, 3, 4, 5])
        #expect(Self.submit(&state, 6, at: 130) == "wait")
        #expect(Self.sweep(&state, at: 319) == [])
        #expect(Self.sweep(&state, at: 320) == [6], "twice as long")
    }

    @Test func `failures of attempts that began before the back-off fail one request each and do not lengthen it`() {
        var state = Self.makeState()
        #expect((0..<3).map { Self.submit(&state, $0, at: 0) } == ["connect", "connect", "wait"])
        #expect(Self.fail(&state, at: 10) == [0])
        #expect(Self.fail(&state, at: 11) == [1])
        #expect(state.lanes[Self.key]?.backoff?.failureCount == 1)
        #expect(Self.sweep(&state, at: 110) == [2])
    }

    @Test(.bug(id: "F713"))
    func `while a connection is open, an attempt fails the request that has waited longest only`() {
        var state = Self.makeState { $0.maximumPerKey = 3 }
        let connection = FakeConnection()
        _ = Self.submit(&state, 0, at: 0)
        _ = state.connected(connection, key: Self.key, now: Self.at(0))
        #expect(Self.submit(&state, 1, at: 0) == "connect")
        #expect(Self.fail(&state, at: 0) == [1])
        #expect((2..<6).map { Self.submit(&state, $0, at: 1) } == ["wait", "wait", "wait", "wait"])
        #expect(Self.sweep(&state, at: 100) == [2])
        #expect(Self.fail(&state, at: 101) == [2])
        #expect(state.release(connection, now: Self.at(102)).next?.number == 3)
        #expect(Self.sweep(&state, at: 301) == [4], "twice as long")
        _ = state.closed(connection)
        #expect(Self.fail(&state, at: 302) == [4, 5], "there is nothing else to wait for")
    }

    @Test func `a connection ends the back-off, and the others get theirs`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        for number in 1..<4 { _ = Self.submit(&state, number, at: 0) }
        #expect(Self.sweep(&state, at: 100) == [1])
        let opening = state.connected(FakeConnection(), key: Self.key, now: Self.at(101))
        #expect(opening.requests.map(\.number) == [1])
        #expect(opening.dials.map(\.request.number) == [2])
        #expect(state.lanes[Self.key]?.backoff == nil)
    }

    @Test func `a connection that comes back serves those that are held back`() {
        var state = Self.makeState()
        let connection = FakeConnection()
        _ = Self.submit(&state, 0, at: 0)
        _ = state.connected(connection, key: Self.key, now: Self.at(0))
        #expect(Self.submit(&state, 1, at: 0) == "connect")
        _ = Self.fail(&state, at: 0)
        #expect(Self.submit(&state, 2, at: 1) == "wait")
        #expect(state.release(connection, now: Self.at(2)).next?.number == 2)
    }

    @Test func `a request is held back no longer than it can be, whenever it came`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        _ = Self.submit(&state, 1, at: 10)
        #expect(state.scheduleSweep() == Self.at(100))
        _ = Self.submit(&state, 2, at: 20, patience: .milliseconds(30))
        #expect(state.scheduleSweep() == Self.at(50))
        #expect(Self.sweep(&state, at: 50) == [1])
        // The same where it waits already when the attempt fails.
        var crowded = Self.makeState { $0.maximumPerKey = 1 }
        _ = Self.submit(&crowded, 0, at: 0)
        _ = Self.submit(&crowded, 1, at: 0, patience: .milliseconds(40))
        #expect(Self.fail(&crowded, at: 10) == [0])
        #expect(Self.sweep(&crowded, at: 49) == [])
        #expect(Self.sweep(&crowded, at: 50) == [1])
    }

    @Test func `a late timer holds nobody back`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        #expect(Self.submit(&state, 1, at: 100) == "connect")
    }

    @Test func `a failure that would be the same next time ends the back-off`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        #expect(Self.fail(&state, at: 0, counts: false) == [0])
        #expect(state.lanes.isEmpty)
        #expect(Self.submit(&state, 1, at: 0) == "connect")
    }

    @Test func `a back-off is forgotten when nobody has asked for as long as the longest delay`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        _ = Self.sweep(&state, at: 100)
        #expect(state.scheduleSweep() == Self.at(5_100))
        _ = Self.sweep(&state, at: 5_099)
        #expect(state.lanes.count == 1)
        _ = Self.sweep(&state, at: 5_100)
        #expect(state.lanes.isEmpty)
        #expect(state.agenda.earliest == nil)
    }

    @Test func `other origins are not held back, and the room of one that is goes to them`() {
        var state = Self.makeState { $0.maximumTotal = 1 }
        _ = Self.submit(&state, 0, at: 0)
        #expect(Self.submit(&state, 1, at: 0, Self.other) == "wait")
        _ = Self.submit(&state, 2, at: 0)
        let (failed, dial) = state.connectFailed(key: Self.key, jitter: 1, now: Self.at(0))
        #expect(failed.map(\.number) == [0])
        #expect(dial?.request.number == 1)
        #expect(Self.sweep(&state, at: 100) == [], "there is no room")
        let (others, next) = state.connectFailed(key: Self.other, jitter: 1, now: Self.at(110))
        #expect(others.map(\.number) == [1])
        #expect(next?.request.number == 2)
    }

    /// Lets the attempt under way run into a limit that is shorter than that of the requests with an odd number.
    private static func failShort(_ state: inout State, at time: Int64) -> (failed: [Int], next: Int?) {
        let (failed, dial) = state.connectFailed(key: Self.key, jitter: 1, now: Self.at(time)) { $0.number % 2 == 1 }
        return (failed.map(\.number), dial?.request.number)
    }

    @Test(arguments: [false, true])
    func `the short limit of one request is no failure for those that have more time`(isShared: Bool) {
        var state = Self.makeState { $0.maximumPerKey = 1 }
        let sharing = isShared ? State.Sharing.unknown : .never
        #expect(Self.submit(&state, 0, at: 0, sharing: sharing) == "connect")
        for number in 1...4 { #expect(Self.submit(&state, number, at: 0, sharing: sharing) == "wait") }
        // One attempt for all fails all that have no more time than it had; an attempt for each fails the first of them.
        let first = Self.failShort(&state, at: 10)
        #expect(first.failed == (isShared ? [0, 2, 4] : [0]))
        #expect(first.next == 1)
        #expect(state.backoffCount == 0, "nobody knows yet whether the server is there")
        let (failed, dial) = state.connectFailed(key: Self.key, jitter: 1, now: Self.at(20))
        #expect(failed.map(\.number) == (isShared ? [1, 3] : [1]))
        #expect(dial == nil)
        #expect(state.backoffCount == 1)
    }

    @Test func `an attempt for which nobody waits any more fails nobody that has more time`() {
        var state = Self.makeState { $0.maximumPerKey = 1 }
        let given = FakeRequest(0)
        _ = state.submit(given, key: Self.key, sharing: .never, now: Self.at(0)) { _ in nil }
        given.isWanted = false
        #expect(Self.submit(&state, 1, at: 0) == "wait")
        let result = Self.failShort(&state, at: 10)
        #expect(result.failed == [])
        #expect(result.next == 1)
    }

    @Test func `what changes the network ends every back-off`() {
        var state = Self.makeState()
        for key in [Self.key, Self.other] {
            _ = Self.submit(&state, 0, at: 0, key)
            _ = state.connectFailed(key: key, now: Self.at(0))
        }
        _ = Self.submit(&state, 1, at: 0)
        #expect(state.endBackoffs().map(\.request.number) == [1])
        #expect(state.lanes.count == 1)
        #expect(Self.submit(&state, 2, at: 0, Self.other) == "connect")
    }

    @Test func `warming up is not held back, and where nobody waits any more nothing is tried`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        let isWarmedUp = state.warmUp(Self.key, sharing: .never)
        #expect(isWarmedUp)
        _ = Self.fail(&state, at: 0)
        let given = FakeRequest(1)
        _ = state.submit(given, key: Self.key, now: Self.at(0)) { _ in nil }
        given.isWanted = false
        #expect(Self.sweep(&state, at: 200) == [])
        #expect(state.totalCount == 0)
    }

    @Test func `a pool that is closing waits for those that are held back`() {
        var state = Self.makeState()
        _ = Self.submit(&state, 0, at: 0)
        _ = Self.fail(&state, at: 0)
        _ = Self.submit(&state, 1, at: 0)
        _ = state.close(immediately: false)
        let isDrainedEarly = state.isDrained
        #expect(!isDrainedEarly)
        #expect(Self.sweep(&state, at: 100) == [1])
        #expect(Self.fail(&state, at: 110) == [1])
        let isDrained = state.isDrained
        #expect(isDrained)
    }
}
