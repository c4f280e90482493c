// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// The phases of a connection through a proxy, on a clock that moves by a second with each name lookup and with each
/// evaluation of the proxy's certificates.
@Suite(.timeLimit(.minutes(1))) struct ProxyMetricsTests {
    /// Takes a second, and says that every name is this machine, in IPv4.
    private struct SlowResolver: NameResolver {
        let clock: ManualClock

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            await self.clock.advance(by: .seconds(1))
            return [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
        }
    }

    /// The measurements of the first exchange with an origin through a proxy.
    private static func metrics(_ proxy: Proxy, _ origin: Origin) async throws -> ExchangeMetrics {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        let root = try CertificateAuthority.shared().pem
        configuration.tls.additionalRoots = [.pem(root)]
        configuration.proxyTLS.additionalRoots = [.pem(root)]
        configuration.proxyTLS.trust = TestEvaluator { _ in await clock.advance(by: .seconds(1)) }
        configuration.proxy = .fixed(proxy)
        configuration.resolver = SlowResolver(clock: clock)
        configuration.clock = EngineClock(clock)
        var metrics = ExchangeMetrics()
        try await NIOTransport.running(configuration) { transport async throws in
            let request = TransportRequest(origin: origin, target: "/status/200")
            metrics = try await transport.exchange(request).metrics
        }
        return metrics
    }

    @Test(.bug(id: "F287")) func `a further connection to a proxy after its challenge belongs to the connect phase`()
        async throws
    {
        let options = ProxyChallengeTests.options { $0.keepsConnection = false }
        try await TestServer.withServer(tls: .init()) { server async throws in
            try await FakeProxy.run(options, to: server.port) { fake in
                let proxy = ProxyChallengeTests.proxy(fake.port)
                let metrics = try await Self.metrics(proxy, ProxyRouteTests.origin(server))
                #expect(fake.connectionCount == 2)
                #expect(metrics.duration(of: .resolve) == .seconds(1))
                // The name of the proxy is looked up once more.
                #expect(metrics.duration(of: .connect) == .seconds(1))
                #expect(metrics.duration(of: .tlsHandshake) == .zero)
            }
        }
    }

    /// What is looked up with a proxy.
    struct Lookups: Sendable, CustomTestStringConvertible {
        var scheme: Proxy.Scheme
        var host: String
        /// How many names; nil if there is no lookup.
        var count: Int?

        var testDescription: String { "\(self.scheme) at \(self.host)" }
    }

    @Test(
        .bug(id: "F287"),
        arguments: [
            Lookups(scheme: .http, host: "127.0.0.1"), Lookups(scheme: .http, host: "localhost", count: 1),
            Lookups(scheme: .socks5h, host: "127.0.0.1"), Lookups(scheme: .socks5h, host: "localhost", count: 1),
            Lookups(scheme: .socks5, host: "127.0.0.1", count: 1),
            Lookups(scheme: .socks5, host: "localhost", count: 2),
        ]
    )
    func `the resolve phase has the lookups of the proxy, and that of the origin before it`(
        _ lookups: Lookups
    ) async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            let steps = ProxyRouteTests.steps(lookups.scheme, password: false, relayTo: server.port)
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: lookups.scheme, host: lookups.host, port: peer.port)
                let metrics = try await Self.metrics(proxy, ProxyRouteTests.origin(server))
                #expect(metrics.duration(of: .resolve) == lookups.count.map { Duration.seconds($0) })
                #expect(metrics.duration(of: .connect) == .zero)
            }
        }
    }

    @Test(.bug(id: "F287")) func `TLS with a proxy that forwards belongs to the connect phase`() async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            server.enqueue(ScriptedResponse(status: .ok, body: "forwarded"))
            let proxy = Proxy(scheme: .https, host: "localhost", port: server.port)
            let origin = Origin(scheme: .http, host: "origin.test", port: 81)
            let metrics = try await Self.metrics(proxy, origin)
            #expect(metrics.tlsPreparationStarted != nil && metrics.tlsPreparationEnded != nil)
            #expect(metrics.duration(of: .resolve) == .seconds(1))
            #expect(metrics.duration(of: .connect) == .seconds(1))
            #expect(metrics.duration(of: .tlsHandshake) == nil)
        }
    }
}
