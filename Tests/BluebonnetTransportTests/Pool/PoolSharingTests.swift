// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Connections that carry many exchanges at a time, and lanes whose peer has not said yet whether theirs do.
@Suite struct PoolSharingTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    let key = PoolKey(origin: Origin(scheme: .https, host: "example.com"))
    let now = NIODeadline.uptimeNanoseconds(1_000)

    func makeState(_ change: (inout State.Rules) -> Void = { _ in }) -> State {
        var rules = State.Rules(maximumPerKey: 4)
        change(&rules)
        return State(rules: rules) { $0.isWanted }
    }

    func submit(
        _ numbers: Range<Int>,
        to state: inout State,
        sharing: State.Sharing = .unknown,
        fresh: Bool = false
    ) -> [String] {
        numbers.map { number in
            let request = FakeRequest(number)
            let action = state.submit(request, key: self.key, sharing: sharing, fresh: fresh, now: self.now) { _ in nil
            }
            return PoolStateTests.name(action)
        }
    }

    @Test func `one connection asks a peer that has a choice, and the others wait for the answer`() {
        var state = self.makeState()
        #expect(self.submit(0..<5, to: &state) == ["connect", "wait", "wait", "wait", "wait"])
        #expect(state.totalCount == 1)
    }

    @Test func `when the answer is HTTP1 the connections for the others are made`() {
        var state = self.makeState()
        _ = self.submit(0..<9, to: &state)
        let opening = state.connected(FakeConnection(), key: self.key, now: self.now)
        #expect(opening.requests.map(\.number) == [0])
        #expect(
            opening.dials.map(\.request.number) == [1, 2, 3],
            "up to the limit of the origin, each for one of them"
        )
        #expect(self.submit(9..<10, to: &state) == ["wait"])
        #expect(state.totalCount == 4)
    }

    @Test(.bug(id: "F855")) func `a connection is made for a request that is still wanted`() {
        var state = self.makeState()
        let requests = (0..<4).map(FakeRequest.init)
        for request in requests {
            _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in nil }
        }
        requests[2].isWanted = false
        let opening = state.connected(FakeConnection(), key: self.key, now: self.now)
        #expect(opening.dials.map(\.request.number) == [1, 3, 3], "one that is not wanted counts until the pool looks")
    }

    /// A state in which requests with an odd number need a connection whose capacity is known.
    static func makeCautiousState() -> State {
        State(rules: State.Rules(), isWanted: { $0.isWanted }, needsKnownCapacity: { $0.number % 2 == 1 })
    }

    @Test(.bug(id: "F711")) func `a request that may not be refused waits until the capacity is known`() {
        var state = Self.makeCautiousState()
        let connection = FakeConnection()
        _ = self.submit(0..<4, to: &state)
        let opening = state.connected(
            connection,
            key: self.key,
            isShared: true,
            capacity: 100,
            isCapacityKnown: false,
            now: self.now
        )
        #expect(opening.requests.map(\.number) == [0])
        #expect(self.submit(4..<6, to: &state) == ["start", "wait"], "it overtakes those that need to know more")
        let announced = state.changeCapacity(connection, to: 4, now: self.now)
        #expect(announced.requests.map(\.number) == [1, 2])
        #expect(state.release(connection, now: self.now).next?.number == 3)
        #expect(state.release(connection, now: self.now).next?.number == 5)
    }

    @Test(.bug(id: "F711"), arguments: [false, true])
    func `a pool that is shut down gracefully keeps the connection for it`(isIdle: Bool) {
        var state = Self.makeCautiousState()
        let connection = FakeConnection()
        _ = self.submit(1..<2, to: &state)
        if !isIdle { _ = self.submit(2..<3, to: &state) }
        _ = state.close(immediately: false)
        let opening = state.connected(
            connection,
            key: self.key,
            isShared: true,
            capacity: 100,
            isCapacityKnown: false,
            now: self.now
        )
        #expect(!opening.closes)
        #expect(opening.requests.isEmpty)
        let announced = state.changeCapacity(connection, to: 100, now: self.now)
        #expect(announced.requests.map(\.number) == (isIdle ? [1] : [1, 2]))
        #expect(!state.release(connection, now: self.now).closes || isIdle)
    }

    @Test func `when the answer is HTTP2 all of them start on one connection`() {
        var state = self.makeState()
        _ = self.submit(0..<9, to: &state)
        let connection = FakeConnection()
        let opening = state.connected(connection, key: self.key, isShared: true, capacity: 100, now: self.now)
        #expect(opening.requests.map(\.number) == Array(0..<9))
        #expect(opening.dials.isEmpty)
        #expect(self.submit(9..<12, to: &state) == ["start", "start", "start"])
        #expect(state.statistics.inFlight == 12)
        #expect(state.statistics.open == 1)
    }

    @Test func `what does not fit waits and starts in order as there is room`() {
        var state = self.makeState()
        _ = self.submit(0..<6, to: &state)
        let connection = FakeConnection()
        let opening = state.connected(connection, key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(opening.requests.map(\.number) == [0, 1])
        #expect(state.release(connection, now: self.now).next?.number == 2)
        let more = state.changeCapacity(connection, to: 4, now: self.now)
        #expect(more.requests.map(\.number) == [3, 4])
        #expect(state.changeCapacity(connection, to: 1, now: self.now).requests.isEmpty)
        for _ in 0..<3 { #expect(state.release(connection, now: self.now).next == nil) }
        #expect(state.release(connection, now: self.now).next?.number == 5)
        #expect(!state.release(connection, now: self.now).closes)
        #expect(state.statistics.idle == 1)
    }

    @Test func `a connection that may carry nothing carries nothing until its peer says otherwise`() {
        var state = self.makeState()
        _ = self.submit(0..<1, to: &state)
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 3, now: self.now)
        _ = state.changeCapacity(connection, to: 0, now: self.now)
        _ = state.release(connection, now: self.now)
        #expect(self.submit(1..<3, to: &state) == ["wait", "wait"])
        #expect(state.changeCapacity(connection, to: -5, now: self.now).requests.isEmpty)
        #expect(state.changeCapacity(connection, to: 7, now: self.now).requests.map(\.number) == [1, 2])
    }

    @Test func `a request that cannot be taken waits again, before the others`() {
        var state = self.makeState()
        let requests = (0..<3).map(FakeRequest.init)
        for request in requests {
            _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in nil }
        }
        let connection = FakeConnection()
        let opening = state.connected(connection, key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(opening.requests.count == 2)
        _ = state.changeCapacity(connection, to: 1, now: self.now)
        let postponement = state.postpone(
            requests[1],
            on: connection,
            deadline: self.now + .seconds(1),
            now: self.now
        )
        #expect(!postponement.closes && !postponement.isRefused)
        #expect(postponement.dial == nil)
        #expect(state.statistics.inFlight == 1)
        #expect(state.release(connection, now: self.now).next?.number == 1)
        #expect(state.release(connection, now: self.now).next?.number == 2)
        #expect(state.statistics.started == 3)
    }

    @Test(.bug(id: "F296")) func `a connection that cannot take its only request is idle, and closes in time`() {
        var state = self.makeState()
        let request = FakeRequest(0)
        _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in nil }
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 1, now: self.now)
        _ = state.changeCapacity(connection, to: 0, now: self.now)
        let postponement = state.postpone(request, on: connection, deadline: nil, now: self.now)
        #expect(!postponement.closes)
        #expect(postponement.dial == nil)
        #expect(state.statistics.idle == 1)
        let sweep = state.sweep(now: self.now + .seconds(60))
        #expect(sweep.connections.first === connection)
        #expect(sweep.dials.map(\.request.number) == [0])
    }

    @Test(.bug(id: "F296")) func `a connection that cannot take its only request makes room for another origin`() {
        var state = self.makeState { $0.maximumTotal = 1 }
        let request = FakeRequest(0)
        _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in nil }
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 1, now: self.now)
        let other = PoolKey(origin: Origin(scheme: .https, host: "other.example"))
        _ = state.submit(FakeRequest(1), key: other, sharing: .unknown, now: self.now) { _ in nil }
        _ = state.changeCapacity(connection, to: 0, now: self.now)
        let postponement = state.postpone(request, on: connection, deadline: nil, now: self.now)
        #expect(postponement.closes)
        #expect(postponement.dial == nil)
        #expect(state.closed(connection)?.request.number == 1)
    }

    @Test func `a request that a retired connection cannot take gets another one`() {
        var state = self.makeState { $0.maximumUses = 2 }
        let requests = (0..<2).map(FakeRequest.init)
        for request in requests {
            _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in self.now + .seconds(1) }
        }
        let old = FakeConnection()
        let opening = state.connected(old, key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(opening.requests.count == 2)
        // Its last use has retired it, and nothing else is left of the lane.
        _ = state.sweep(now: self.now + .seconds(1))
        #expect(state.lanes.isEmpty)
        let postponement = state.postpone(requests[1], on: old, deadline: self.now + .seconds(9), now: self.now)
        #expect(!postponement.closes)
        #expect(postponement.dial?.request.number == 1)
        let new = state.connected(FakeConnection(), key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(new.requests.map(\.number) == [1])
    }

    @Test(.bug(id: "F383"), arguments: [true, false])
    func `a request that cannot be taken is refused behind an immediate shutdown, and only there`(
        _ immediately: Bool
    ) {
        var state = self.makeState()
        let request = FakeRequest(0)
        _ = state.submit(request, key: self.key, sharing: .unknown, now: self.now) { _ in nil }
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 1, now: self.now)
        _ = state.changeCapacity(connection, to: 0, now: self.now)
        let (waiters, connections) = state.close(immediately: immediately)
        #expect(waiters.isEmpty && connections.count == (immediately ? 1 : 0))
        let postponement = state.postpone(request, on: connection, deadline: nil, now: self.now)
        #expect(postponement.isRefused == immediately)
        #expect(postponement.closes)
        #expect(postponement.dial == nil)
        // A shutdown that waits for the requests makes another connection for it.
        #expect(state.closed(connection)?.request.number == (immediately ? nil : 0))
        #expect(state.isDrained == immediately)
    }

    @Test func `a retired connection finishes what it carries, and another one is made for the rest`() {
        var state = self.makeState()
        _ = self.submit(0..<4, to: &state)
        let old = FakeConnection()
        _ = state.connected(old, key: self.key, isShared: true, capacity: 2, now: self.now)
        let (closes, dial) = state.retire(old)
        #expect(!closes)
        #expect(dial?.request.number == 2)
        let again = state.retire(old)
        #expect(!again.0 && again.1 == nil, "twice is once")
        let new = FakeConnection()
        let opening = state.connected(new, key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(opening.requests.map(\.number) == [2, 3])
        let ends = (0..<2).map { _ in state.release(old, now: self.now).closes }
        #expect(ends == [false, true])
        #expect(state.closed(old) == nil)
        #expect(state.statistics.open == 1)
        #expect(state.totalCount == 1)
    }

    @Test func `an idle connection that retires closes at once`() {
        var state = self.makeState()
        _ = self.submit(0..<1, to: &state)
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 2, now: self.now)
        _ = state.release(connection, now: self.now)
        #expect(state.retire(connection).0)
        #expect(self.submit(1..<2, to: &state) == ["connect"])
    }

    @Test func `the end of an old connection does not take the requests along that wait for a new one`() {
        var state = self.makeState()
        _ = self.submit(0..<1, to: &state)
        let old = FakeConnection()
        _ = state.connected(old, key: self.key, isShared: true, capacity: 2, now: self.now)
        _ = state.retire(old)
        // Nothing is left of the lane but the connection that is on its way out.
        _ = state.sweep(now: self.now + .seconds(1))
        #expect(self.submit(1..<2, to: &state) == ["connect"])
        _ = state.release(old, now: self.now)
        #expect(state.closed(old) == nil)
        let opening = state.connected(FakeConnection(), key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(opening.requests.map(\.number) == [1])
    }

    @Test func `one attempt that many wait for fails them all`() {
        var state = self.makeState()
        _ = self.submit(0..<5, to: &state)
        let (failed, dial) = state.connectFailed(key: self.key, now: self.now)
        #expect(failed.map(\.number) == [0, 1, 2, 3, 4])
        #expect(dial == nil)
        #expect(state.lanes.isEmpty)
        #expect(state.totalCount == 0)
        #expect(state.statistics.failed == 1)
    }

    @Test func `a shared connection carries no more exchanges in its life than the limit says`() {
        var state = self.makeState { $0.maximumUses = 3 }
        _ = self.submit(0..<5, to: &state)
        let connection = FakeConnection()
        let opening = state.connected(connection, key: self.key, isShared: true, capacity: 100, now: self.now)
        #expect(opening.requests.map(\.number) == [0, 1, 2])
        #expect(opening.dials.map(\.request.number) == [3])
        let closes = (0..<3).map { _ in state.release(connection, now: self.now).closes }
        #expect(closes == [false, false, true])
    }

    @Test func `the last use of a busy connection has another one made for those that wait`() {
        var state = self.makeState { $0.maximumUses = 3 }
        _ = self.submit(0..<5, to: &state)
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 2, now: self.now)
        let release = state.release(connection, now: self.now)
        #expect(release.next?.number == 2)
        #expect(release.dial?.request.number == 3)
    }

    @Test func `what is tried again goes to another connection only if the first one takes no more`() {
        var state = self.makeState()
        _ = self.submit(0..<1, to: &state)
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, isShared: true, capacity: 2, now: self.now)
        #expect(self.submit(1..<2, to: &state, fresh: true) == ["start"])
        _ = state.retire(connection)
        #expect(self.submit(2..<3, to: &state, fresh: true) == ["connect"])
    }
}
