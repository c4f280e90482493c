// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReuseTests {
    @Test func `a request that meets a connection just closed is sent again, once and silently`() async throws {
        try await Engine.run { engine async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            engine.server.enqueue(ScriptedResponse(effect: .close(.beforeResponse)), ScriptedResponse(body: "again"))
            #expect(try await engine.send(engine.request(.get, "/")).body == "again")
            engine.server.enqueue(
                ScriptedResponse(effect: .close(.beforeResponse)),
                ScriptedResponse(effect: .close(.beforeResponse))
            )
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .connectionClosed, "the second connection was fresh, so its failure is real")
        }
    }

    @Test func `a first connection that fails is not tried again`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(effect: .close(.beforeResponse)), ScriptedResponse(body: "never"))
            await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test(arguments: ["POST", "body once", "response begun"]) func `what may not be repeated is not repeated`(
        _ kind: String
    ) async throws {
        try await Engine.run { engine async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            let effect: SocketEffect = kind == "response begun" ? .close(.afterHead) : .close(.beforeResponse)
            engine.server.enqueue(ScriptedResponse(body: "hello", effect: effect), ScriptedResponse(body: "never"))
            var request = engine.request(kind == "POST" ? .post : .put, "/")
            if kind == "body once" {
                request.body = .reader(length: 3, isReplayable: false) { RepeatingReader(remaining: 3) }
            }
            await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(engine.server.enqueuedCount == 1)
        }
    }

    @Test func `connections that the server closes while idle are forgotten`() async throws {
        try await Engine.run { engine in
            for _ in 0..<3 {
                #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
                engine.server.closeConnections()
                try await engine.server.waitForConnections { $0.open == 0 }
            }
        }
    }

    @Test func `an idle connection is closed after its time`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.idleTimeout = .milliseconds(100)
        try await Engine.run(engine: configuration) { engine in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            try await engine.server.waitForConnections(within: .seconds(5)) { $0.open == 0 }
        }
    }

    @Test func `dropping the engine closes idle connections and lets a response finish`() async throws {
        try await TestServer.withServer { server in
            let origin = Origin(scheme: .http, host: server.host, port: server.port)
            var transport: NIOTransport? = NIOTransport()
            _ = try await transport?.exchange(TransportRequest(origin: origin, target: "/status/200"))
            let request = TransportRequest(origin: origin, target: "/bytes/5000000", responseMode: .streamed)
            let response = try #require(try await transport?.exchange(request))
            transport = nil
            #expect(try await response.body.collect(upTo: 5_000_000).readableBytes == 5_000_000)
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `shutting down fails what is under way and refuses what comes`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let task = Task { try await engine.send(engine.request(.get, "/")) }
            _ = try await engine.server.takeRequest()
            await engine.transport.shutdown()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .shutDown)
            let refused = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.get, "/"))
            }
            #expect(refused?.code == .shutDown)
            try await engine.server.waitForConnections { $0.open == 0 }
        }
    }
}
