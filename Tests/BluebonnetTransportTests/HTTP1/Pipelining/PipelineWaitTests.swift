// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Waiting in line: who gives up, who is held up, and when limits begin to run.
@Suite(.timeLimit(.minutes(1))) struct PipelineWaitTests {
    /// A server with one connection to it, which has served one exchange.
    private struct World {
        let engine: Engine
        let observer: RecordingObserver
        let clock: ManualClock

        static func run(_ body: (World) async throws -> Void) async throws {
            let observer = RecordingObserver()
            let clock = ManualClock()
            var configuration = NIOTransport.Configuration()
            configuration.observer = observer
            configuration.clock = EngineClock(clock)
            configuration.pool.maximumConnectionsPerOrigin = 1
            try await Engine.run(engine: configuration) { engine in
                #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
                try await body(World(engine: engine, observer: observer, clock: clock))
                _ = engine.server.takeFailures()
            }
        }

        /// Sends a request and waits until it has gone out.
        func begin(
            _ target: String,
            _ change: (inout TransportRequest) -> Void = { _ in }
        ) async -> Task<Engine.Answer, any Error> {
            var request = self.engine.request(.get, target)
            request.usesPipelining = true
            change(&request)
            let outgoing = request
            return await self.observer.sent { [engine] in try await engine.send(outgoing) }
        }
    }

    @Test func `cancelling in the middle of the line leaves the connection to the others`() async throws {
        try await World.run { world async throws in
            let gate = Gate()
            world.engine.server.enqueue(ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)))
            let one = await world.begin("/")
            let two = await world.begin("/bytes/2000")
            let three = await world.begin("/bytes/3")
            two.cancel()
            await #expect(throws: CancellationError.self) { try await two.value }
            await world.observer.wait(for: "cancelled")
            gate.open()
            #expect(try await one.value.body == "one")
            #expect(try await three.value.bytes.readableBytes == 3)
            #expect(world.engine.server.totalConnections == 1)
            #expect(try await world.engine.send(world.engine.request(.get, "/status/204")).status == 204)
            #expect(world.engine.server.totalConnections == 1)
            #expect(world.engine.transport.statistics.inFlight == 0)
        }
    }

    @Test(arguments: ["/bytes/1000000", "/stream-bytes/1000000"])
    func `a large response that nobody waits for any more ends the connection, and those behind it go elsewhere`(
        _ target: String
    ) async throws {
        try await World.run { world async throws in
            let gate = Gate()
            world.engine.server.enqueue(ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)))
            let one = await world.begin("/")
            let two = await world.begin(target)
            let three = await world.begin("/bytes/3")
            two.cancel()
            await world.observer.wait(for: "cancelled")
            gate.open()
            #expect(try await one.value.body == "one")
            #expect(try await three.value.bytes.readableBytes == 3)
            #expect(world.engine.server.totalConnections == 2)
        }
    }

    @Test func `cancelling the first in line sends the others elsewhere`() async throws {
        try await World.run { world async throws in
            // Not from the script: the server may not have begun with this request when the others come again.
            let one = await world.begin("/delay/30")
            let two = await world.begin("/bytes/2")
            let three = await world.begin("/bytes/3")
            one.cancel()
            await #expect(throws: CancellationError.self) { try await one.value }
            #expect(try await two.value.bytes.readableBytes == 2)
            #expect(try await three.value.bytes.readableBytes == 3)
            // What is sent again does not go out on a connection that was idle, so one that became idle in between was replaced.
            #expect((2...3).contains(world.engine.server.totalConnections))
            let requests = world.observer.names.dropFirst()
            #expect(requests.map { $0.count { $0 == "retried" } } == [0, 1, 1])
            #expect(
                requests.allSatisfy {
                    $0.count { $0 == "connectionAcquired" } == $0.count { $0 == "connectionReleased" }
                        || $0.contains("cancelled")
                }
            )
        }
    }

    @Test func `the limit for the response counts from the moment a request is first in line`() async throws {
        try await World.run { world async throws in
            let gate = Gate()
            world.engine.server.enqueue(ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)))
            let one = await world.begin("/")
            let two = await world.begin("/delay/30") { $0.timeouts.responseHead = .seconds(5) }
            let three = await world.begin("/bytes/3")
            await world.clock.advance(by: .seconds(20))
            gate.open()
            #expect(try await one.value.body == "one")
            await world.clock.advance(by: .seconds(4))
            #expect(!world.observer.events.contains { $0.name == "failed" })
            await world.clock.advance(by: .seconds(2))
            let error = await #expect(throws: TransportError.self) { try await two.value }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .responseHead)
            #expect(try await three.value.bytes.readableBytes == 3, "it goes elsewhere")
        }
    }

    /// A limit that ends the wait in line.
    struct Limit: Sendable, CustomTestStringConvertible {
        let limit: any WritableKeyPath<Timeouts, Duration?> & Sendable
        let phase: TransportError.Phase
        var testDescription: String { "\(self.phase)" }
    }

    static let limits = [Limit(limit: \.queue, phase: .queue), Limit(limit: \.total, phase: .total)]

    @Test(arguments: limits) func `who has been in line for too long gives up and holds nobody else up`(
        _ one: Limit
    ) async throws {
        try await World.run { world async throws in
            let gate = Gate()
            world.engine.server.enqueue(ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)))
            let first = await world.begin("/")
            let second = await world.begin("/bytes/2") { $0.timeouts[keyPath: one.limit] = .seconds(5) }
            let third = await world.begin("/bytes/3")
            await world.clock.advance(by: .seconds(6))
            let error = await #expect(throws: TransportError.self) { try await second.value }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == one.phase)
            gate.open()
            #expect(try await first.value.body == "one")
            #expect(try await third.value.bytes.readableBytes == 3)
            #expect(world.engine.server.totalConnections == 1)
        }
    }

    @Test func `a consumer that does not read holds up those behind it, and they go on when it does`() async throws {
        try await World.run { world async throws in
            var request = world.engine.request(.get, "/bytes/20000000", streamed: true)
            request.usesPipelining = true
            let response = try await world.engine.transport.exchange(request)
            let late = await world.begin("/bytes/2") { $0.timeouts.queue = .seconds(5) }
            let patient = await world.begin("/bytes/3")
            await world.clock.advance(by: .seconds(6))
            let error = await #expect(throws: TransportError.self) { try await late.value }
            #expect(error?.phase == .queue)
            #expect(try await response.body.collect(upTo: 20_000_000).readableBytes == 20_000_000)
            #expect(try await patient.value.bytes.readableBytes == 3)
            #expect(world.engine.server.totalConnections == 1)
        }
    }

    @Test func `dropping a body that others wait behind sends them elsewhere`() async throws {
        try await World.run { world async throws in
            var request = world.engine.request(.get, "/bytes/20000000", streamed: true)
            request.usesPipelining = true
            var response: TransportResponse? = try await world.engine.transport.exchange(request)
            let behind = await world.begin("/bytes/3")
            #expect(response != nil)
            response = nil
            #expect(try await behind.value.bytes.readableBytes == 3)
            #expect(world.engine.server.totalConnections == 2)
        }
    }

    @Test func `shutting down fails all in line`() async throws {
        try await World.run { world async throws in
            world.engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let tasks = [await world.begin("/"), await world.begin("/bytes/2"), await world.begin("/bytes/3")]
            await world.engine.transport.shutdown()
            for task in tasks {
                let error = await #expect(throws: TransportError.self) { try await task.value }
                #expect(error?.code == .shutDown)
            }
        }
    }

    @Test func `a graceful shutdown lets all in line finish`() async throws {
        try await World.run { world async throws in
            let gate = Gate()
            world.engine.server.enqueue(ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)))
            let tasks = [await world.begin("/"), await world.begin("/bytes/3"), await world.begin("/bytes/3")]
            async let isShut: Void = world.engine.transport.shutdown(within: .seconds(30))
            gate.open()
            for task in tasks { #expect(try await task.value.bytes.readableBytes == 3) }
            await isShut
            try await world.engine.server.waitForConnections { $0.open == 0 }
        }
    }
}
