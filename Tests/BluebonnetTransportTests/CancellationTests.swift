// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
    static let stalls: [SocketEffect] = [.stall(.beforeResponse), .stall(.afterHead), .stall(.afterBody(100))]

    @Test(arguments: stalls, [true, false])
    func `cancelling closes the connection at once`(_ effect: SocketEffect, _ streamed: Bool) async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(body: .pattern(1_000), effect: effect))
            let task = Task { try await engine.send(engine.request(.get, "/", streamed: streamed)) }
            _ = try await engine.server.takeRequest()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await engine.server.waitForConnections { $0.open == 0 }
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
        }
    }

    @Test func `a task that is cancelled already sends nothing`() async throws {
        try await Engine.run { engine in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await engine.send(engine.request(.get, "/status/200"))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(engine.server.totalConnections == 0)
        }
    }

    @Test func `cancelling in the queue leaves the connection to the others`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            let first = Task { try await engine.send(engine.request(.get, "/delay/0.3")) }
            try await engine.server.waitForConnections { $0.open == 1 }
            let second = Task { try await engine.send(engine.request(.get, "/status/201")) }
            let third = Task { try await engine.send(engine.request(.get, "/status/202")) }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(try await first.value.status == 200)
            #expect(try await third.value.status == 202)
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test func `dropping a streamed body closes its connection`() async throws {
        try await Engine.run { engine in
            var response: TransportResponse? = try await engine.transport.exchange(
                engine.request(.get, "/bytes/100000000", streamed: true)
            )
            #expect(response?.status.code == 200)
            #expect(engine.server.openConnections == 1)
            response = nil
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `a thousand requests cancelled at random leave no connection behind`() async throws {
        try await Engine.run { engine in
            await withTaskGroup(of: Void.self) { group in
                var random = SeededGenerator(seed: 7)
                for number in 0..<1_000 {
                    let target = ["/bytes/300000", "/delay/0.02", "/status/200", "/drip?duration=0.05&bytes=10"][
                        number % 4
                    ]
                    let yields = Int.random(in: 0..<200, using: &random)
                    group.addTask {
                        let task = Task {
                            try await engine.send(engine.request(.get, target, streamed: number % 3 == 0))
                        }
                        for _ in 0..<yields { await Task.yield() }
                        task.cancel()
                        _ = await task.result
                    }
                }
            }
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            await engine.transport.shutdown()
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
