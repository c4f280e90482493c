// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Shared connections at the limit over all origins: a busy one does not starve the other origins.
@Suite struct PoolFairnessTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    let now = NIODeadline.uptimeNanoseconds(1_000)

    func key(_ name: String) -> PoolKey { PoolKey(origin: Origin(scheme: .https, host: name)) }

    func makeState(_ total: Int) -> State {
        State(rules: State.Rules(maximumTotal: total)) { $0.isWanted }
    }

    func submit(_ request: FakeRequest, _ name: String, to state: inout State) -> String {
        PoolStateTests.name(
            state.submit(request, key: self.key(name), sharing: .unknown, now: self.now) { _ in nil }
        )
    }

    /// Makes a shared connection that carries request 0.
    func share(_ name: String, capacity: Int, in state: inout State) -> FakeConnection {
        let connection = FakeConnection()
        let action = self.submit(FakeRequest(0), name, to: &state)
        #expect(action == "connect")
        let opening = state.connected(
            connection,
            key: self.key(name),
            isShared: true,
            capacity: capacity,
            now: self.now
        )
        #expect(opening.requests.map(\.number) == [0])
        return connection
    }

    @Test(.bug(id: "F295")) func `a busy shared connection becomes free for an origin that has waited longer`() {
        var state = self.makeState(1)
        let shared = self.share("a", capacity: 100, in: &state)
        #expect(self.submit(FakeRequest(1), "a", to: &state) == "start", "nobody waits")
        #expect(self.submit(FakeRequest(2), "b", to: &state) == "wait")
        #expect(self.submit(FakeRequest(3), "a", to: &state) == "wait")
        let early = state.takeResumption()
        #expect(early?.starts.isEmpty ?? true)
        let first = state.release(shared, now: self.now)
        #expect(first.next == nil)
        #expect(!first.closes)
        let last = state.release(shared, now: self.now)
        #expect(last.next == nil)
        #expect(last.closes)
        #expect(state.closed(shared)?.request.number == 2)
        // The origin that gave way gets the next connection.
        let other = FakeConnection()
        #expect(state.connected(other, key: self.key("b"), now: self.now).requests.map(\.number) == [2])
        #expect(state.release(other, now: self.now).closes)
        #expect(state.closed(other)?.request.number == 3)
    }

    @Test(.bug(id: "F295"), arguments: [false, true])
    func `requests that gave way continue when the other one is served, or not wanted any more`(_ isServed: Bool) {
        var state = self.makeState(2)
        let shared = self.share("a", capacity: 100, in: &state)
        let busy = FakeConnection()
        #expect(self.submit(FakeRequest(1), "b", to: &state) == "connect")
        _ = state.connected(busy, key: self.key("b"), now: self.now)
        let waiting = FakeRequest(2)
        #expect(self.submit(waiting, "c", to: &state) == "wait")
        for number in 3...4 { #expect(self.submit(FakeRequest(number), "a", to: &state) == "wait") }
        if isServed {
            #expect(state.release(busy, now: self.now).closes)
            #expect(state.closed(busy)?.request.number == 2)
        } else {
            waiting.isWanted = false
        }
        // One more does not overtake those that wait.
        #expect(self.submit(FakeRequest(5), "a", to: &state) == "wait")
        let resumption = state.takeResumption()
        #expect(resumption?.starts.map(\.request.number) == [3, 4, 5])
        #expect(resumption?.starts.allSatisfy { $0.connection === shared } ?? false)
        #expect(resumption?.dials.isEmpty ?? false)
        #expect(self.submit(FakeRequest(6), "a", to: &state) == "start")
        let rest = state.takeResumption()
        #expect(rest == nil)
    }

    @Test(.bug(id: "F295")) func `the pool looks by itself whether the other request is still wanted`() {
        var state = self.makeState(1)
        _ = self.share("a", capacity: 100, in: &state)
        let waiting = FakeRequest(1)
        #expect(self.submit(waiting, "b", to: &state) == "wait")
        #expect(self.submit(FakeRequest(2), "a", to: &state) == "wait")
        waiting.isWanted = false
        #expect(state.scheduleSweep() == self.now + .seconds(1))
        _ = state.sweep(now: self.now + .seconds(1))
        let resumption = state.takeResumption()
        #expect(resumption?.starts.map(\.request.number) == [2])
    }

    @Test(.bug(id: "F295")) func `a request that has waited longer than another origin's keeps its turn`() {
        var state = self.makeState(1)
        let shared = self.share("a", capacity: 1, in: &state)
        for (number, name) in [(1, "a"), (2, "b"), (3, "a")] {
            #expect(self.submit(FakeRequest(number), name, to: &state) == "wait")
        }
        let opening = state.changeCapacity(shared, to: 3, now: self.now)
        #expect(opening.requests.map(\.number) == [1])
        #expect(state.release(shared, now: self.now).next == nil)
        #expect(state.release(shared, now: self.now).closes)
        #expect(state.closed(shared)?.request.number == 2)
    }

    @Test(.bug(id: "F350")) func `the work of a decision does not grow with the number of origins that give way`() {
        final class Counter { var value = 0 }
        let counter = Counter()
        let count = 200
        var state = State(rules: State.Rules(maximumTotal: count)) {
            counter.value += 1
            return $0.isWanted
        }
        for number in 0..<count { _ = self.share("a\(number)", capacity: 100, in: &state) }
        let waiting = FakeRequest(1)
        #expect(self.submit(waiting, "b", to: &state) == "wait")
        counter.value = 0
        for number in 0..<count {
            #expect(self.submit(FakeRequest(2), "a\(number)", to: &state) == "wait")
            let resumption = state.takeResumption()
            #expect(resumption?.starts.isEmpty ?? true)
        }
        #expect(state.givingWay.count == count)
        #expect(counter.value < 20 * count, "\(counter.value)")
        waiting.isWanted = false
        let resumption = state.takeResumption()
        #expect(resumption?.starts.count == count)
    }
}
