// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Hummingbird
import NIOPosix
import RelayService
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(1))) struct RelayServiceTests {
    /// Runs the service in front of another one, with a client for it, and shuts it down gracefully.
    private static func withRelay(
        to upstream: TestServer,
        _ body: (_ client: HTTPSession, _ services: ServiceGroup) async throws -> Void
    ) async throws {
        let eventLoops = MultiThreadedEventLoopGroup.singleton
        let service = try RelayService(relaying: upstream.url, eventLoopGroup: eventLoops)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = service.application(port: 0, eventLoopGroup: eventLoops) { port.yield($0) }
        let services = ServiceGroup(services: [application], logger: application.logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await services.run() }
            for await number in ports {
                try await body(try HTTPSession("http://127.0.0.1:\(number)"), services)
                break
            }
            await services.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test func `a note of the other service is handed on`() async throws {
        try await TestServer.withServer { upstream in
            upstream.enqueue(.json(#"{"id":7}"#))
            try await Self.withRelay(to: upstream) { client, _ in
                let text = try await client.get("notes/7", serializer: .string)
                #expect(text == #"{"id":7}"#)
            }
            #expect(try await upstream.takeRequest().target == "/notes/7")
        }
    }

    @Test(arguments: [(404, 404), (503, 502), (400, 502)])
    func `a refusal of the other service is one of this service`(answered: Int, expected: Int) async throws {
        try await TestServer.withServer { upstream in
            upstream.respond { _ in ScriptedResponse(status: .init(code: answered)) }
            try await Self.withRelay(to: upstream) { client, _ in
                let error = await #expect(throws: SessionError.self) { try await client.get("notes/7") }
                #expect(error?.response?.status.code == expected)
            }
        }
    }

    @Test func `a response under way goes on to its end when the service is told to end`() async throws {
        try await TestServer.withServer { upstream in
            let gate = Gate()
            upstream.enqueue(
                ScriptedResponse(body: .pattern(3_000_000), effect: .hold(.afterBody(1_000_000), until: gate))
            )
            try await Self.withRelay(to: upstream) { client, services in
                let response = try await client.stream("notes/8")
                await services.triggerGracefulShutdown()
                var count = 0
                for try await piece in response.body {
                    count += piece.readableBytes
                    if count > 500_000 { gate.open() }
                }
                #expect(count == 3_000_000)
            }
            try await upstream.waitForConnections { $0.open == 0 }
        }
    }
}
