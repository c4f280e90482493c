// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct PoolStateTests {
    /// Stands for a connection.
    final class FakeConnection {}

    /// Stands for a request; several can be told that nobody wants them any more.
    final class FakeRequest {
        let number: Int
        var isWanted = true
        let pipelines: Bool
        init(_ number: Int, pipelines: Bool) {
            self.number = number
            self.pipelines = pipelines
        }
        convenience init(_ number: Int) { self.init(number, pipelines: false) }
    }

    typealias State = PoolState<FakeConnection, FakeRequest>

    let key = PoolKey(origin: Origin(scheme: .http, host: "example.com"))
    let other = PoolKey(origin: Origin(scheme: .https, host: "example.com"))
    let now = NIODeadline.uptimeNanoseconds(1_000)

    func makeState(_ maximum: Int) -> State {
        State(rules: State.Rules(maximumPerKey: maximum)) { $0.isWanted }
    }

    @Test func `makes connections up to the limit and lets the rest wait in order`() {
        var state = self.makeState(2)
        let requests = (0..<4).map(FakeRequest.init)
        let actions = requests.map { Self.name(state.submit($0, key: self.key, now: self.now) { _ in nil }) }
        #expect(actions == ["connect", "connect", "wait", "wait"])
        let first = FakeConnection()
        let second = FakeConnection()
        #expect(state.connected(first, key: self.key, now: self.now).requests.first?.number == 0)
        #expect(state.connected(second, key: self.key, now: self.now).requests.first?.number == 1)
        #expect(state.release(second, now: self.now).next?.number == 2)
        #expect(state.release(first, now: self.now).next?.number == 3)
        #expect(state.release(first, now: self.now).next == nil)
        guard
            case .start(let reused) = state.submit(FakeRequest(9), key: self.key, now: self.now, deadline: { _ in nil })
        else {
            Issue.record("an idle connection was not used")
            return
        }
        #expect(reused === first)
    }

    @Test func `keeps nothing of a request that has its connection`() {
        var state = self.makeState(1)
        weak var first: FakeRequest?
        weak var second: FakeRequest?
        do {
            let requests = (0..<2).map(FakeRequest.init)
            (first, second) = (requests[0], requests[1])
            for request in requests { _ = state.submit(request, key: self.key, now: self.now) { _ in nil } }
        }
        let connection = FakeConnection()
        _ = state.connected(connection, key: self.key, now: self.now)
        #expect(first == nil)
        #expect(second != nil)
        _ = state.release(connection, now: self.now)
        #expect(second == nil)
    }

    @Test func `keeps origins apart`() {
        var state = self.makeState(1)
        let connection = FakeConnection()
        _ = state.submit(FakeRequest(1), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(connection, key: self.key, now: self.now)
        _ = state.release(connection, now: self.now)
        #expect(Self.name(state.submit(FakeRequest(2), key: self.other, now: self.now) { _ in nil }) == "connect")
    }

    @Test func `uses the connection that was idle last`() {
        var state = self.makeState(2)
        let connections = [FakeConnection(), FakeConnection()]
        for (number, connection) in connections.enumerated() {
            _ = state.submit(FakeRequest(number), key: self.key, now: self.now) { _ in nil }
            _ = state.connected(connection, key: self.key, now: self.now)
        }
        for connection in connections { _ = state.release(connection, now: self.now) }
        guard case .start(let used) = state.submit(FakeRequest(3), key: self.key, now: self.now, deadline: { _ in nil })
        else {
            Issue.record("an idle connection was not used")
            return
        }
        #expect(used === connections[1])
    }

    @Test func `passes over requests that nobody waits for any more`() {
        var state = self.makeState(1)
        let requests = (0..<3).map(FakeRequest.init)
        for request in requests { _ = state.submit(request, key: self.key, now: self.now) { _ in nil } }
        requests[0].isWanted = false
        requests[1].isWanted = false
        #expect(state.connected(FakeConnection(), key: self.key, now: self.now).requests.first?.number == 2)
    }

    @Test func `clears a long queue of unwanted requests`() {
        var state = self.makeState(1)
        for number in 0..<10_000 {
            let request = FakeRequest(number)
            _ = state.submit(request, key: self.key, now: self.now) { _ in nil }
            request.isWanted = false
        }
        #expect(state.lanes[self.key]?.waiters.count ?? 0 <= 64)
    }

    @Test func `fails the longest waiting request when a connection cannot be made, and tries again for the others`() {
        var state = self.makeState(2)
        for number in 0..<4 { _ = state.submit(FakeRequest(number), key: self.key, now: self.now) { _ in nil } }
        var failed = [Int]()
        var attempts = 2
        while attempts > 0 {
            attempts -= 1
            let (requests, dial) = state.connectFailed(key: self.key, now: self.now)
            failed += requests.map(\.number)
            if dial != nil { attempts += 1 }
        }
        #expect(failed == [0, 1, 2, 3])
        #expect(state.lanes.isEmpty)
    }

    @Test func `makes a new connection when one is closed while requests wait`() {
        var state = self.makeState(1)
        let connection = FakeConnection()
        for number in 0..<2 { _ = state.submit(FakeRequest(number), key: self.key, now: self.now) { _ in nil } }
        _ = state.connected(connection, key: self.key, now: self.now)
        #expect(state.closed(connection)?.request.number == 1, "the one that waits says how long connecting may take")
        #expect(state.closed(connection) == nil, "a connection closes once")
        #expect(state.connected(FakeConnection(), key: self.key, now: self.now).requests.first?.number == 1)
    }

    @Test func `forgets an origin without connections and requests`() {
        var state = self.makeState(1)
        let connection = FakeConnection()
        _ = state.submit(FakeRequest(0), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(connection, key: self.key, now: self.now)
        _ = state.release(connection, now: self.now)
        #expect(state.closed(connection) == nil)
        #expect(state.lanes.isEmpty)
        #expect(state.slots.isEmpty)
    }

    @Test func `sweeps late requests and stale connections, and nothing else`() {
        var state = self.makeState(1)
        let connection = FakeConnection()
        let elsewhere = FakeConnection()
        _ = state.submit(FakeRequest(0), key: self.other, now: self.now) { _ in nil }
        _ = state.connected(elsewhere, key: self.other, now: self.now)
        _ = state.release(elsewhere, now: self.now)
        _ = state.submit(FakeRequest(1), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(connection, key: self.key, now: self.now)
        _ = state.submit(FakeRequest(2), key: self.key, now: self.now) { _ in self.now + .seconds(1) }
        _ = state.submit(FakeRequest(3), key: self.key, now: self.now) { _ in self.now + .seconds(90) }
        let early = state.sweep(now: self.now + .seconds(2))
        #expect(early.waiters.map(\.number) == [2])
        #expect(early.connections.isEmpty)
        let late = state.sweep(now: self.now + .seconds(61))
        #expect(late.waiters.isEmpty)
        #expect(late.connections.first === elsewhere)
        #expect(state.scheduleSweep() == self.now + .seconds(90))
    }

    @Test func `asks for a sweep only when it is earlier than the one scheduled`() {
        var state = self.makeState(1)
        #expect(state.scheduleSweep() == nil)
        for (seconds, key, isEarlier) in [(5, self.key, true), (6, self.other, false), (4, self.other, true)] {
            let deadline = self.now + .seconds(Int64(seconds))
            _ = state.submit(FakeRequest(seconds), key: key, now: self.now) { _ in deadline }
            #expect(state.scheduleSweep() == (isEarlier ? deadline : nil))
        }
    }

    @Test func `a sweep touches no lane but those that are due, and no lane is forgotten`() {
        var random = SplitMix(state: 7)
        var state = self.makeState(1)
        let requests = (0..<200).map { number in
            (FakeRequest(number), self.now + .seconds(Int64(1 + random.below(100))))
        }
        for (request, deadline) in requests {
            let key = PoolKey(origin: Origin(scheme: .http, host: "host\(request.number)"))
            _ = state.submit(request, key: key, now: self.now) { _ in deadline }
            // Every third lane goes away before its time.
            if request.number % 3 == 0 { _ = state.connectFailed(key: key, now: self.now) }
        }
        #expect(state.lanes.count == 133)
        for second in 1...100 {
            let now = self.now + .seconds(Int64(second))
            let late = state.sweep(now: now).waiters.map(\.number)
            let due = requests.filter { $0.1 == now && $0.0.number % 3 != 0 }.map(\.0.number)
            #expect(late.sorted() == due)
            #expect(state.lanes.values.allSatisfy { lane in lane.waiters.isEmpty || lane.due > now })
        }
        #expect(state.agenda.earliest == nil)
    }

    @Test func `refuses requests once it is closed and hands out what has to end`() {
        var state = self.makeState(1)
        let connection = FakeConnection()
        _ = state.submit(FakeRequest(0), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(connection, key: self.key, now: self.now)
        _ = state.submit(FakeRequest(1), key: self.key, now: self.now) { _ in nil }
        let gentle = state.close(immediately: false)
        #expect(gentle.waiters.isEmpty, "what waits is still served")
        #expect(gentle.connections.isEmpty)
        #expect(Self.name(state.submit(FakeRequest(2), key: self.key, now: self.now) { _ in nil }) == "refuse")
        #expect(state.release(connection, now: self.now).next?.number == 1)
        #expect(state.release(connection, now: self.now).closes)
        #expect(state.close(immediately: true).connections.first === connection)
    }

    @Test func `a fresh connection is made for a request whose first one was dead, before all others`() {
        var state = self.makeState(2)
        let idle = FakeConnection()
        _ = state.submit(FakeRequest(0), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(idle, key: self.key, now: self.now)
        _ = state.release(idle, now: self.now)
        #expect(
            Self.name(state.submit(FakeRequest(1), key: self.key, fresh: true, now: self.now) { _ in nil }) == "connect"
        )
        #expect(state.connected(FakeConnection(), key: self.key, now: self.now).requests.first?.number == 1)
    }

    @Test func `a request whose connection was dead does not get one that has served another one`() {
        var state = self.makeState(1)
        let (used, new) = (FakeConnection(), FakeConnection())
        _ = state.submit(FakeRequest(0), key: self.key, now: self.now) { _ in nil }
        _ = state.connected(used, key: self.key, now: self.now)
        #expect(Self.name(state.submit(FakeRequest(2), key: self.key, now: self.now) { _ in nil }) == "wait")
        let action = state.submit(FakeRequest(1), key: self.key, fresh: true, now: self.now) { _ in nil }
        #expect(Self.name(action) == "wait")
        let release = state.release(used, now: self.now)
        #expect(release.closes && release.next == nil)
        #expect(release.dial?.request.number == 1)
        #expect(state.connected(new, key: self.key, now: self.now).requests.map(\.number) == [1])
        _ = state.closed(used)
        // The others take what there is.
        #expect(state.release(new, now: self.now).next?.number == 2)
    }

    static func name(_ action: State.SubmitAction) -> String {
        switch action {
        case .start: "start"
        case .connect: "connect"
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }
}
