// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// The limit over all origins, and the lives of connections.
@Suite struct PoolTotalTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    let now = NIODeadline.uptimeNanoseconds(1_000)

    func key(_ name: String) -> PoolKey { PoolKey(origin: Origin(scheme: .http, host: name)) }

    func makeState(_ change: (inout State.Rules) -> Void) -> State {
        var rules = State.Rules()
        change(&rules)
        return State(rules: rules) { $0.isWanted }
    }

    /// Submits a request and says what became of it, and which connection it displaced.
    func submit(_ number: Int, _ name: String, to state: inout State) -> (String, FakeConnection?) {
        let action = state.submit(FakeRequest(number), key: self.key(name), now: self.now) { _ in nil }
        if case .connect(let victim) = action { return ("connect", victim) }
        return (PoolStateTests.name(action), nil)
    }

    /// Makes a connection that is idle.
    func idle(_ name: String, in state: inout State, since: NIODeadline) -> FakeConnection {
        let connection = FakeConnection()
        _ = state.warmUp(self.key(name), sharing: .never)
        _ = state.connected(connection, key: self.key(name), now: since)
        return connection
    }

    @Test func `the connection that has been idle for longest closes for one to somewhere else`() {
        var state = self.makeState { $0.maximumTotal = 3 }
        let connections = ["b", "a", "c"].enumerated().map { index, name in
            self.idle(name, in: &state, since: self.now + .seconds(Int64(index == 1 ? 0 : index + 1)))
        }
        #expect(self.submit(1, "d", to: &state).1 === connections[1])
        _ = state.closed(connections[1])
        #expect(state.totalCount == 3)
        #expect(self.submit(2, "b", to: &state).0 == "start", "the others are still there")
    }

    @Test func `while all are in use the lanes wait, and get what becomes free in the order they came`() {
        var state = self.makeState { $0.maximumTotal = 2 }
        #expect(self.submit(0, "a", to: &state).0 == "connect")
        #expect(self.submit(1, "a", to: &state).0 == "connect")
        let connections = [FakeConnection(), FakeConnection()]
        for connection in connections { _ = state.connected(connection, key: self.key("a"), now: self.now) }
        for (number, name) in ["b", "c", "b", "a", "d"].enumerated() {
            #expect(self.submit(10 + number, name, to: &state).0 == "wait")
        }
        var served = [Int]()
        var open = connections
        while !open.isEmpty, served.count < 5 {
            let connection = open.removeFirst()
            let release = state.release(connection, now: self.now)
            if let next = release.next {
                served.append(next.number)
                open.append(connection)
                continue
            }
            #expect(release.closes)
            guard let dial = state.closed(connection) else { continue }
            let made = FakeConnection()
            served += state.connected(made, key: dial.key, now: self.now).requests.map(\.number)
            open.append(made)
            #expect(state.totalCount <= 2)
        }
        #expect(served == [10, 11, 12, 13, 14], "first come, first served, whoever holds the connections")
    }

    @Test func `a lane that nobody waits in any more holds nothing up`() {
        var state = self.makeState { $0.maximumTotal = 1 }
        _ = self.submit(0, "a", to: &state)
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key("a"), now: self.now)
        let given = FakeRequest(1)
        _ = state.submit(given, key: self.key("b"), now: self.now) { _ in nil }
        given.isWanted = false
        #expect(!state.release(connection, now: self.now).closes)
        #expect(state.statistics.idle == 1)
        #expect(state.lanes.count == 1)
    }

    @Test func `a connection that comes too late for its own request closes for a lane that waits`() {
        var state = self.makeState { $0.maximumTotal = 1 }
        let first = FakeRequest(0)
        _ = state.submit(first, key: self.key("a"), now: self.now) { _ in nil }
        _ = self.submit(1, "b", to: &state)
        first.isWanted = false
        let connection = FakeConnection()
        #expect(state.connected(connection, key: self.key("a"), now: self.now).closes)
        #expect(state.closed(connection)?.request.number == 1)
    }

    @Test func `a failed attempt leaves its room to a lane that waits`() {
        var state = self.makeState { $0.maximumTotal = 1 }
        _ = self.submit(0, "a", to: &state)
        _ = self.submit(1, "b", to: &state)
        let (failed, dial) = state.connectFailed(key: self.key("a"), now: self.now)
        #expect(failed.map(\.number) == [0])
        #expect(dial?.key == self.key("b"))
        #expect(dial?.request.number == 1)
    }

    @Test func `a fresh connection takes the place of an idle one where there is no room`() {
        var state = self.makeState { $0.maximumPerKey = 2 }
        let idle = ["a", "a"].map { self.idle($0, in: &state, since: self.now) }
        let action = state.submit(FakeRequest(0), key: self.key("a"), fresh: true, now: self.now) { _ in nil }
        guard case .connect(let victim?) = action else {
            Issue.record("it would wait until an idle connection goes away by itself")
            return
        }
        #expect(victim === idle[0])
        #expect(state.closed(victim) == nil)
        #expect(state.connected(FakeConnection(), key: self.key("a"), now: self.now).requests.first?.number == 0)
    }

    @Test func `an idle connection closes for one that another peer's GOAWAY makes necessary`() {
        var state = self.makeState { $0.maximumTotal = 2 }
        let shared = FakeConnection()
        for number in 0..<2 {
            _ = state.submit(FakeRequest(number), key: self.key("b"), sharing: .unknown, now: self.now) { _ in nil }
        }
        _ = state.connected(shared, key: self.key("b"), isShared: true, capacity: 1, now: self.now)
        let idle = self.idle("a", in: &state, since: self.now)
        let (closes, dial) = state.retire(shared)
        #expect(!closes)
        #expect(dial?.request.number == 1)
        #expect(dial?.closing === idle)
    }

    @Test func `a connection at its age or its number of uses takes nothing more`() {
        for change: (inout State.Rules) -> Void in [{ $0.maximumAge = .seconds(10) }, { $0.maximumUses = 2 }] {
            var state = self.makeState { rules in
                rules.maximumPerKey = 1
                change(&rules)
            }
            _ = self.submit(0, "a", to: &state)
            let connection = FakeConnection()
            _ = state.connected(connection, key: self.key("a"), now: self.now)
            #expect(!state.release(connection, now: self.now + .seconds(5)).closes)
            #expect(self.submit(1, "a", to: &state).0 == "start")
            _ = self.submit(2, "a", to: &state)
            let release = state.release(connection, now: self.now + .seconds(11))
            #expect(release.closes)
            #expect(release.next == nil)
            #expect([release.dial, state.closed(connection)].compactMap { $0?.request.number } == [2])
        }
    }

    @Test func `an idle connection is closed at its age`() {
        var state = self.makeState { $0.maximumAge = .seconds(10) }
        let connection = self.idle("a", in: &state, since: self.now)
        #expect(state.scheduleSweep() == self.now + .seconds(10))
        #expect(state.sweep(now: self.now + .seconds(10)).connections.first === connection)
    }

    @Test func `warming up stops at every limit`() {
        var state = self.makeState { rules in
            rules.maximumPerKey = 3
            rules.maximumTotal = 4
        }
        let attempts = (0..<5).map { _ in state.warmUp(self.key("a"), sharing: .never) }
        #expect(attempts == [true, true, true, false, false])
        let others = ["b", "b", "c"].map { state.warmUp(self.key($0), sharing: .unknown) }
        #expect(others == [true, false, false])
        #expect(state.statistics.connecting == 4)
        _ = state.close(immediately: false)
        let late = state.warmUp(self.key("d"), sharing: .never)
        #expect(!late)
    }

    @Test func `statistics count what there is and what was`() {
        var state = self.makeState { $0.maximumPerKey = 2 }
        for number in 0..<4 { _ = self.submit(number, "a", to: &state) }
        let connections = [FakeConnection(), FakeConnection()]
        _ = state.connected(connections[0], key: self.key("a"), now: self.now)
        #expect(state.statistics == Self.statistics { ($0.open, $0.connecting, $0.waiting) = (1, 1, 3) })
        _ = state.connected(connections[1], key: self.key("a"), now: self.now)
        for connection in connections { _ = state.release(connection, now: self.now) }
        for connection in connections { _ = state.release(connection, now: self.now) }
        var expected = Self.statistics { ($0.open, $0.idle, $0.inFlight) = (2, 2, 0) }
        (expected.started, expected.opened) = (4, 2)
        #expect(state.statistics == expected)
        _ = state.closed(connections[0])
        #expect(state.statistics.started == 4)
        #expect(state.statistics.closed == 1)
    }

    /// What is expected after one connection was opened and one exchange started, with a change.
    static func statistics(_ change: (inout NIOTransport.Statistics) -> Void) -> NIOTransport.Statistics {
        var statistics = NIOTransport.Statistics(counters: PoolCounters())
        (statistics.opened, statistics.started, statistics.inFlight) = (1, 1, 1)
        change(&statistics)
        return statistics
    }
}
