// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Connections that end under a body that can be read only once, while it is held back for 100 (Continue).
@Suite(.timeLimit(.minutes(1)), .bug(id: "F852")) struct HeldBodyLossTests {
    private static func upload(_ origin: Origin) -> TransportRequest {
        var request = TransportRequest(method: .put, origin: origin, target: "/")
        request.body = .reader(length: 5, isReplayable: false) { RepeatingReader(remaining: 5) }
        request.continueTimeout = .seconds(60)
        return request
    }

    struct End: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// What the second request on the first connection gets.
        var steps: [RawPeer.Step]
    }

    static let ends = [
        End(testDescription: "GOAWAY that does not name it", steps: [.send(Wire.goAway(1)), .close]),
        End(testDescription: "GOAWAY that names none", steps: [.send(Wire.goAway(0)), .close]),
        End(testDescription: "the end of a connection that was used before", steps: [.close]),
    ]

    @Test(arguments: ends) func `HTTP2 takes the request over to the next connection`(_ end: End) async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 1 ? end.steps : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            #expect(try await transport.exchange(Self.upload(origin)).status == .ok)
            #expect(peer.state.withLock { $0.connections } == 2)
        }
    }

    @Test func `HTTP1 takes the request over to the next connection`() async throws {
        let response = ScriptedPeer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await ScriptedPeer.run([.readHead, response, .readHead, .close]) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            try await NIOTransport.running(configuration) { transport async throws in
                let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
                _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                #expect(try await transport.exchange(Self.upload(origin)).status == .ok)
                #expect(transport.statistics.opened == 2)
            }
        }
    }

    @Test func `a body that was begun is not sent again`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 0
                ? [.send(Wire.response(1))]
                : [.send(Wire.headers(3, [(":status", "100")])), .afterBody(5), .close]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(Self.upload(origin))
            }
            #expect(error?.code == .connectionClosed)
            #expect(peer.state.withLock { $0.connections } == 1)
        }
    }
}
