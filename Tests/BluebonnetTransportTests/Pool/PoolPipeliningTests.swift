// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Where the pool sends a request that may go behind others.
@Suite struct PoolPipeliningTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    private static let key = PoolKey(origin: Origin(scheme: .http, host: "example.com"))
    private static let other = PoolKey(origin: Origin(scheme: .http, host: "example.org"))
    private static let now = NIODeadline.uptimeNanoseconds(1_000)

    /// A pool with one connection to ``key`` that has served one exchange and is idle.
    private static func withConnection(
        _ rules: State.Rules = State.Rules(maximumPerKey: 1),
        mayPipeline: Bool = true,
        _ body: (inout State, FakeConnection) -> Void
    ) {
        var state = State(rules: rules) { $0.isWanted }
        let connection = FakeConnection()
        _ = Self.submit(&state, 0, pipelines: true)
        #expect(state.connected(connection, key: Self.key, now: Self.now).requests.map(\.number) == [0])
        #expect(!state.release(connection, mayPipeline: mayPipeline, now: Self.now).closes)
        body(&state, connection)
    }

    /// Submits a request and says in a word what became of it.
    private static func submit(
        _ state: inout State,
        _ number: Int,
        key: PoolKey = Self.key,
        pipelines: Bool,
        fresh: Bool = false
    ) -> String {
        let request = FakeRequest(number, pipelines: pipelines)
        return
            switch state.submit(
                request,
                key: key,
                pipelines: pipelines,
                fresh: fresh,
                now: Self.now,
                deadline: { _ in nil }
            )
        {
        case .start: "start"
        case .connect: "connect"
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }

    @Test func `sends up to four behind one another, and lets the others wait`() {
        Self.withConnection { state, connection in
            #expect(
                (1...6).map { Self.submit(&state, $0, pipelines: true) } == [
                    "start", "start", "start", "start", "wait", "wait",
                ]
            )
            let release = state.release(connection, mayPipeline: true, now: Self.now)
            #expect(release.next?.number == 5)
            #expect(release.behind.isEmpty)
        }
    }

    @Test func `waits for the first response, then fills the connection from the queue`() {
        var state = State(rules: State.Rules(maximumPerKey: 1)) { $0.isWanted }
        let connection = FakeConnection()
        #expect(
            (0...6).map { Self.submit(&state, $0, pipelines: true) } == ["connect"] + Array(repeating: "wait", count: 6)
        )
        #expect(state.connected(connection, key: Self.key, now: Self.now).requests.map(\.number) == [0])
        let release = state.release(connection, mayPipeline: true, now: Self.now)
        #expect(release.next?.number == 1)
        #expect(release.behind.map(\.number) == [2, 3, 4])
    }

    @Test func `a connection that has not shown that it lasts carries one at a time`() {
        Self.withConnection(mayPipeline: false) { state, connection in
            #expect((1...2).map { Self.submit(&state, $0, pipelines: true) } == ["start", "wait"])
            let release = state.release(connection, mayPipeline: false, now: Self.now)
            #expect(release.next?.number == 2)
        }
    }

    @Test func `a request that does not pipeline has the connection for itself, and is not overtaken`() {
        Self.withConnection { state, connection in
            #expect(Self.submit(&state, 1, pipelines: true) == "start")
            #expect(Self.submit(&state, 2, pipelines: false) == "wait")
            #expect(Self.submit(&state, 3, pipelines: true) == "wait", "it would put the one before it off")
            let second = state.release(connection, mayPipeline: true, now: Self.now)
            #expect(second.next?.number == 2)
            #expect(second.behind.isEmpty)
            #expect(Self.submit(&state, 4, pipelines: true) == "wait")
            let third = state.release(connection, mayPipeline: true, now: Self.now)
            #expect(third.next?.number == 3)
            #expect(third.behind.map(\.number) == [4])
        }
    }

    @Test func `a free connection goes before a place behind others, and that before a new connection`() {
        Self.withConnection(State.Rules(maximumPerKey: 2, maximumPipelineDepth: 2)) { state, connection in
            #expect(Self.submit(&state, 1, pipelines: true) == "start")
            #expect(Self.submit(&state, 2, pipelines: true) == "start")
            #expect(Self.submit(&state, 3, pipelines: true) == "connect")
            let second = FakeConnection()
            #expect(state.connected(second, key: Self.key, now: Self.now).requests.map(\.number) == [3])
            #expect(!state.release(second, mayPipeline: true, now: Self.now).closes)
            _ = state.release(connection, mayPipeline: true, now: Self.now)
            guard
                case .start(let used) = state.submit(
                    FakeRequest(4, pipelines: true),
                    key: Self.key,
                    pipelines: true,
                    now: Self.now,
                    deadline: { _ in nil }
                )
            else {
                Issue.record("the idle connection was not used")
                return
            }
            #expect(used === second)
        }
    }

    @Test func `a request that was lost with a connection is sent alone`() {
        Self.withConnection { state, connection in
            #expect(Self.submit(&state, 1, pipelines: true) == "start")
            #expect(Self.submit(&state, 2, pipelines: false, fresh: true) == "wait")
            #expect(Self.submit(&state, 3, pipelines: true) == "wait")
            let release = state.release(connection, mayPipeline: true, now: Self.now)
            #expect(release.next == nil && release.closes && release.dial?.request.number == 2)
            let opening = state.connected(FakeConnection(), key: Self.key, now: Self.now)
            #expect(opening.requests.map(\.number) == [2])
        }
    }

    @Test func `nothing joins while somebody waits elsewhere for the room of the connection`() {
        Self.withConnection(State.Rules(maximumPerKey: 2, maximumTotal: 1)) { state, connection in
            #expect(Self.submit(&state, 1, pipelines: true) == "start")
            #expect(Self.submit(&state, 2, key: Self.other, pipelines: true) == "wait")
            #expect(Self.submit(&state, 3, pipelines: true) == "wait")
            #expect(state.release(connection, mayPipeline: true, now: Self.now).closes)
            #expect(state.closed(connection)?.key == Self.other)
        }
    }

    @Test func `the number of uses holds for pipelined requests too`() {
        Self.withConnection(State.Rules(maximumPerKey: 1, maximumUses: 3)) { state, connection in
            #expect((1...3).map { Self.submit(&state, $0, pipelines: true) } == ["start", "start", "wait"])
            let worn = state.release(connection, mayPipeline: true, now: Self.now)
            #expect(!worn.closes, "it still carries one")
            #expect(worn.next == nil)
            #expect(state.release(connection, mayPipeline: true, now: Self.now).closes)
        }
    }

    @Test func `a depth of one pipelines nothing`() {
        Self.withConnection(State.Rules(maximumPerKey: 1, maximumPipelineDepth: 1)) { state, _ in
            #expect((1...2).map { Self.submit(&state, $0, pipelines: true) } == ["start", "wait"])
        }
    }
}
