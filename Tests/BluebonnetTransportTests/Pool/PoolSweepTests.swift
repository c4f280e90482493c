// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

/// The timers of the pool.
@Suite(.timeLimit(.minutes(1))) struct PoolSweepTests {
    @Test(.bug(id: "F613")) func `short waits beside an idle connection leave no timers behind`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumConnectionsPerOrigin = 1
        configuration.pool.idleTimeout = .seconds(1_000)
        try await TestServer.withServer { (other: TestServer) async throws in
            try await Engine.run(engine: configuration) { (engine: Engine) async throws in
                var idle = engine.request(.get, "/status/200")
                idle.origin = Origin(scheme: .http, host: other.host, port: other.port)
                #expect(try await engine.send(idle).status == 200)
                engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
                var busy = engine.request(.post, "/")
                busy.timeouts.responseHead = nil
                let running = Task { [busy] in try await engine.send(busy).status }
                _ = try await engine.server.takeRequest()
                var counts = [Int]()
                for _ in 0..<20 {
                    var late = engine.request(.get, "/")
                    late.timeouts.queue = .seconds(1)
                    let waiting = Task { [late] in try await engine.send(late).status }
                    while engine.transport.statistics.waiting == 0 { await Task.yield() }
                    await clock.advance(by: .seconds(1))
                    let error = await #expect(throws: TransportError.self) { try await waiting.value }
                    #expect(error?.phase == .queue)
                    counts.append(clock.timerCount)
                }
                #expect(Set(counts).count == 1, "\(counts)")
                running.cancel()
                _ = await running.result
            }
        }
    }

    @Test(.bug(id: "F613")) func `a sweep is scheduled once for each deadline that is earlier than the others`() {
        typealias State = PoolStateTests.State
        let start = NIODeadline.uptimeNanoseconds(1_000)
        let key = PoolKey(origin: Origin(scheme: .http, host: "example.com"))
        var state = State(rules: State.Rules(maximumPerKey: 1)) { $0.isWanted }
        /// Enqueues a request, and returns the seconds at which a sweep is to be scheduled for it.
        func wait(at now: Int64, for limit: Int64) -> Int64? {
            let now = start + .seconds(now)
            let request = PoolStateTests.FakeRequest(0)
            _ = state.submit(request, key: key, now: now) { _ in now + .seconds(limit) }
            return state.scheduleSweep().map { ($0 - start).nanoseconds / 1_000_000_000 }
        }
        #expect(wait(at: 0, for: 60) == 60)
        #expect(wait(at: 1, for: 1) == 2)
        #expect(wait(at: 1, for: 5) == nil)
        #expect(state.sweep(now: start + .seconds(2)).waiters.count == 1)
        #expect(state.scheduleSweep() == start + .seconds(6))
        #expect(state.sweep(now: start + .seconds(6)).waiters.count == 1)
        #expect(state.scheduleSweep() == nil, "that for the first one is scheduled")
        #expect(state.sweep(now: start + .seconds(60)).waiters.count == 1)
        #expect(wait(at: 61, for: 1) == 62)
    }
}
