// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// An engine whose requests are pipelined, and a scripted peer that has answered one of them: more may be sent behind one another.
struct Line: Sendable {
    let peer: ScriptedPeer
    let transport: NIOTransport
    let observer: RecordingObserver

    /// The bytes of a response.
    static func response(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Runs a test; the first response of the first script is asked for before it.
    static func run(
        _ connections: [[ScriptedPeer.Step]],
        maximum: Int = 1,
        _ body: (Line) async throws -> Void
    ) async throws {
        let observer = RecordingObserver()
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.observer = observer
        configuration.pool.maximumConnectionsPerOrigin = maximum
        try await NIOTransport.running(configuration) { transport in
            try await ScriptedPeer.run(connections: connections) { peer in
                let line = Line(peer: peer, transport: transport, observer: observer)
                _ = try await line.send(line.request("/0"))
                try await body(line)
            }
        }
    }

    func request(_ target: String) -> TransportRequest {
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: self.peer.port)
        var request = TransportRequest(origin: origin, target: target)
        request.usesPipelining = true
        return request
    }

    func send(_ request: TransportRequest) async throws -> Engine.Answer {
        let response = try await self.transport.exchange(request)
        return Engine.Answer(response: response, bytes: try await response.body.collect(upTo: 1024 * 1024))
    }

    /// Sends a request and waits until it has gone out.
    func begin(_ target: String) async -> Task<Engine.Answer, any Error> {
        let request = self.request(target)
        return await self.observer.sent { try await self.send(request) }
    }
}

extension RecordingObserver {
    /// Begins an exchange and waits until its request has gone out, so that the next one is behind it.
    func sent<Success: Sendable>(
        _ exchange: @escaping @Sendable () async throws -> Success
    ) async -> Task<Success, any Error> {
        let count = self.events.count { $0.name == "requestHeadEnded" }
        let task = Task { try await exchange() }
        await self.wait { events in events.count { $0.name == "requestHeadEnded" } > count }
        return task
    }
}
