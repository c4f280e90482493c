// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import BluebonnetTransport

/// The pool as a caller of the engine meets it.
@Suite(.timeLimit(.minutes(2))) struct PoolLifeTests {
    @Test func `warming up opens connections, and the first requests find them`() async throws {
        try await Engine.run { engine in
            try await engine.transport.warmUp(engine.origin, count: 3)
            #expect(engine.transport.statistics.idle == 3)
            #expect(engine.transport.statistics.started == 0)
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(engine.transport.statistics.opened == 3)
            try await engine.transport.warmUp(engine.origin, count: 100)
            #expect(engine.transport.statistics.open == 16, "the limit of the origin")
        }
    }

    @Test func `warming up says why it cannot`() async throws {
        let transport = NIOTransport()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        try await listener.close()
        let error = await #expect(throws: TransportError.self) {
            try await transport.warmUp(Origin(scheme: .http, host: "127.0.0.1", port: port), count: 2)
        }
        #expect(error?.code == .connectFailed)
        #expect(transport.statistics.failed > 0)
        await transport.shutdown()
    }

    @Test func `a connection ends at its age and at its number of uses`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumUses = 3
        configuration.pool.maximumAge = .seconds(10)
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            var used = [Int]()
            for number in 0..<8 {
                #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
                used.append(try await engine.server.takeRequest().connectionID)
                if number >= 5 { await clock.advance(by: .seconds(11)) }
            }
            #expect(used == [1, 1, 1, 2, 2, 2, 3, 4])
            try await engine.server.waitForConnections { $0.open <= 1 }
        }
    }

    @Test func `the limit on all connections holds for all origins together`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnections = 2
        try await TestServer.withServer { (other: TestServer) async throws in
            try await Engine.run(engine: configuration) { (engine: Engine) async throws in
                let second = Origin(scheme: .http, host: other.host, port: other.port)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            var request = engine.request(.get, "/status/200")
                            if number % 2 == 0 { request.origin = second }
                            let answer = try await engine.send(request)
                            #expect(answer.status == 200)
                            #expect(engine.transport.statistics.open <= 2)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(engine.transport.statistics.open <= 2)
                await engine.transport.shutdown()
            }
        }
    }

    @Test(.bug(id: "F463"), arguments: [0, -1])
    func `a limit on all connections below one is one`(_ limit: Int) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnections = limit
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            var request = engine.request(.get, "/status/200")
            request.timeouts.queue = .seconds(5)
            #expect(try await engine.send(request).status == 200)
            #expect(engine.transport.statistics.opened == 1)
        }
    }

    @Test func `a graceful end lets what is under way and what waits finish, and refuses the rest`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            let gate = Gate()
            engine.server.enqueue(ScriptedResponse(effect: .hold(.beforeResponse, until: gate)))
            let running = Task { try await engine.send(engine.request(.get, "/")).status }
            _ = try await engine.server.takeRequest()
            let waiting = Task { try await engine.send(engine.request(.get, "/status/201")).status }
            while engine.transport.statistics.waiting == 0 { await Task.yield() }
            let end = Task { await engine.transport.shutdown(within: .seconds(60)) }
            while true {
                let probe = await #expect(throws: (any Error).self) {
                    var request = engine.request(.get, "/status/202")
                    request.timeouts.queue = .milliseconds(1)
                    _ = try await engine.send(request)
                }
                if (probe as? TransportError)?.code == .shutDown { break }
            }
            gate.open()
            #expect(try await running.value == 200)
            #expect(try await waiting.value == 201)
            await end.value
            #expect(engine.transport.statistics.open == 0)
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }

    @Test(arguments: [false, true]) func `a graceful end is cut at its limit, or when nobody waits for it`(
        cancelled: Bool
    ) async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            var request = engine.request(.post, "/")
            request.timeouts.responseHead = nil
            let outgoing = request
            let running = Task { try await engine.send(outgoing).status }
            _ = try await engine.server.takeRequest()
            let end = Task { await engine.transport.shutdown(within: .seconds(60)) }
            if cancelled { end.cancel() }
            // Where the end is cancelled, nobody turns the clock.
            let result = cancelled ? await running.result : await clock.advance(by: .seconds(1), until: running)
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.code == .shutDown)
            #expect(cancelled || clock.elapsed >= .seconds(60))
            await end.value
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `a connection that dies before its first request is no connection`() async throws {
        let behaviour = RawPeer.Behaviour(greeting: [.close]) { _ in [] }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<20 {
                try? await transport.warmUp(origin)
                try await peer.until { $0.open == 0 && $0.connections > 0 }
            }
            while transport.statistics.open > 0 { await Task.yield() }
            await transport.shutdown(within: .seconds(30))
        }
    }

    @Test func `ten thousand requests that wait cost memory in proportion`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let running = Task { try await engine.send(engine.request(.post, "/")).status }
            _ = try await engine.server.takeRequest()
            let before = ResidentMemory.byteCount()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10_000 {
                    group.addTask { _ = try? await engine.transport.exchange(engine.request(.get, "/status/200")) }
                }
                while engine.transport.statistics.waiting < 10_000 { await Task.yield() }
                let perRequest = (ResidentMemory.byteCount() - before) / 10_000
                #expect(perRequest < 16 * 1024, "a waiting request takes \(perRequest) bytes, its task included")
                group.cancelAll()
            }
            #expect(engine.transport.statistics.waiting == 0)
            running.cancel()
            _ = try? await running.value
        }
    }
}
