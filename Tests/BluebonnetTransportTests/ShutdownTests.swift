// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// The sockets of an engine when its shutdown returns.
@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    enum Ending: CaseIterable, Sendable {
        case atOnce, gentle

        func end(_ transport: NIOTransport) async {
            switch self {
            case .atOnce: await transport.shutdown()
            case .gentle: await transport.shutdown(within: .seconds(30))
            }
        }
    }

    @Test(.bug(id: "F784"), arguments: Ending.allCases)
    func `no socket is open when the shutdown returns, although TLS ends with a round trip`(
        _ ending: Ending
    ) async throws {
        for _ in 0..<10 {
            try await Engine.run(tls: TestServer.TLS()) { engine in
                let gate = Gate()
                let body = ScriptedResponse.Body.text(String(repeating: "x", count: 100_000))
                engine.server.enqueue(ScriptedResponse(body: body, effect: .hold(.afterBody(2_000), until: gate)))
                let request = engine.request(.get, "/", streamed: true)
                var response: TransportResponse? = try await engine.transport.exchange(request)
                #expect(response?.status == .ok)
                // Closes the connection.
                response = nil
                while engine.transport.statistics.open > 0 { await Task.yield() }
                await ending.end(engine.transport)
                #expect(LifeTests.sockets(to: engine.server.port) == 0)
                gate.open()
            }
        }
    }

    @Test(.bug(id: "F784"), arguments: Ending.allCases)
    func `an idle connection of HTTP/2 has closed its socket when the shutdown returns`(
        _ ending: Ending
    ) async throws {
        for _ in 0..<10 {
            try await HTTP2Server.run { server, transport, origin in
                _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                await ending.end(transport)
                #expect(LifeTests.sockets(to: server.port) == 0)
            }
        }
    }

    @Test(.bug(id: "F784"), arguments: Ending.allCases)
    func `a connection that was upgraded belongs to its caller, and outlives the shutdown`(
        _ ending: Ending
    ) async throws {
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
        ]
        try await ScriptedPeer.run(steps) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
            var request = TransportRequest(origin: origin, target: "/")
            request.allowsUpgrade = true
            let channel = try #require(try await transport.exchange(request).upgradedChannel)
            await ending.end(transport)
            #expect(channel.isActive)
            try await channel.close()
        }
    }
}
