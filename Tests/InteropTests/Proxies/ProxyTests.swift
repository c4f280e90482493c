// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// Through tinyproxy and microsocks to nginx, and to nginx over a Unix socket.
@Suite(.timeLimit(.minutes(1)))
struct ProxyTests {
    /// nginx, the proxies, and how nginx is trusted.
    struct Servers: Sendable {
        var origin: ExternalServer
        var proxies: ExternalServer

        /// Sends a request as the proxies' configuration says, and gives the response with what was measured.
        func get(
            _ base: URL?,
            _ path: String,
            _ configure: (inout NIOTransport.Configuration) -> Void
        ) async throws -> (response: Response, metrics: ExchangeMetrics) {
            var engine = NIOTransport.Configuration()
            engine.tls.additionalRoots = [.pemFile(try #require(self.origin.root))]
            configure(&engine)
            var configuration = Session.Configuration()
            configuration.engine = engine
            return try await Session.withSession(configuration: configuration) { session in
                let url = try #require(base).appending(path: path)
                let response = try await session.send(Request(url: url))
                return (try await response.response(upTo: 1 << 20), response.metrics)
            }
        }
    }

    static func withServers(_ body: (Servers) async throws -> Void) async throws {
        try await ExternalServer.run(.proxies) { proxies in
            try await ExternalServer.run(.nginx) { origin in
                try origin.write(patternedData(count: 300_000), as: "file.bin")
                try await body(Servers(origin: origin, proxies: proxies))
            }
        }
    }

    static let viaHeader = HTTPField.Name("Via")

    @Test
    func `goes through each kind of proxy, with and without credentials, plain and over TLS`() async throws {
        try await Self.withServers { servers in
            let ports: [(Proxy.Scheme, Int?, isLocked: Bool)] = [
                (.http, servers.proxies.port, false), (.http, servers.proxies.lockedPort, true),
                (.socks5, servers.proxies.socksPort, false), (.socks5, servers.proxies.lockedSocksPort, true),
                (.socks5h, servers.proxies.socksPort, false), (.socks5h, servers.proxies.lockedSocksPort, true),
            ]
            for (scheme, port, isLocked) in ports {
                let port = try #require(port)
                var proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: port)
                if isLocked { (proxy.username, proxy.password) = ("ada", "s3cret") }
                for base in [servers.origin.http, servers.origin.https] {
                    let (response, metrics) = try await servers.get(base, "file.bin") { $0.proxy = .fixed(proxy) }
                    #expect(response.body == patternedData(count: 300_000), "\(proxy) \(isLocked)")
                    #expect(metrics.remoteAddress == "127.0.0.1:\(port)")
                    let isForwarded = scheme == .http && base?.scheme == "http"
                    #expect((metrics.tunnelEnded == nil) == isForwarded)
                    let via = Self.viaHeader.flatMap { response.headers[$0] }
                    #expect((via?.contains("tinyproxy") ?? false) == isForwarded)
                }
            }
        }
    }

    @Test
    func `is refused without credentials, and with wrong ones`() async throws {
        try await Self.withServers { servers in
            for password in [nil, "wrong"] {
                for scheme in [Proxy.Scheme.http, .socks5h] {
                    let port = try #require(
                        scheme == .http ? servers.proxies.lockedPort : servers.proxies.lockedSocksPort
                    )
                    var proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: port)
                    if let password { (proxy.username, proxy.password) = ("ada", password) }
                    let error = await #expect(throws: SessionError.self) {
                        try await servers.get(servers.origin.https, "file.bin") { $0.proxy = .fixed(proxy) }
                    }
                    #expect(error?.code == .proxyAuthenticationRequired)
                    #expect(error?.isRequestSent == false)
                    let status = (error?.underlying as? TransportError)?.proxyStatus
                    // What tinyproxy says: 401 where credentials are wrong.
                    #expect(status == (scheme == .socks5h ? nil : password == nil ? 407 : 401))
                }
            }
        }
    }

    @Test
    func `says what a proxy says of an origin that is not there`() async throws {
        try await Self.withServers { servers in
            let nowhere = URL(string: "https://localhost:1")
            let socks = try #require(servers.proxies.socksPort)
            for (scheme, port) in [(Proxy.Scheme.http, servers.proxies.port), (.socks5h, socks)] {
                let proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: port)
                let error = await #expect(throws: SessionError.self) {
                    try await servers.get(nowhere, "x") { $0.proxy = .fixed(proxy) }
                }
                #expect(error?.code == .proxyFailed)
            }
        }
    }

    @Test
    func `follows the variables of the environment`() async throws {
        try await Self.withServers { servers in
            let proxy = "127.0.0.1:\(servers.proxies.port)"
            for (list, isDirect) in [("other.test", false), ("localhost", true), ("*", true)] {
                let (response, metrics) = try await servers.get(servers.origin.https, "file.bin") {
                    $0.proxy = .environment(["HTTPS_PROXY": "http://\(proxy)", "NO_PROXY": list])
                }
                #expect(response.status == .ok)
                #expect((metrics.remoteAddress == proxy) == !isDirect)
            }
        }
    }

    @Test
    func `keeps a connection through a proxy, and trusts nobody more for it`() async throws {
        try await Self.withServers { servers in
            let proxy = Proxy(scheme: .http, host: "127.0.0.1", port: servers.proxies.port)
            var configuration = Session.Configuration()
            configuration.proxy = .fixed(proxy)
            var engine = NIOTransport.Configuration()
            engine.tls.additionalRoots = [.pemFile(try #require(servers.origin.root))]
            let transport = NIOTransport(configuration: engine)
            try await Session.withSession(configuration: configuration, transport: transport) { session in
                let url = try #require(servers.origin.https).appending(path: "file.bin")
                for expected in ["1", "2", "3"] {
                    let response = try await session.response(for: Request(url: url))
                    #expect(HTTPField.Name("X-Connection-Requests").flatMap { response.headers[$0] } == expected)
                }
                let wrong = try #require(servers.origin.misnamed)
                let error = await #expect(throws: SessionError.self) {
                    try await session.response(for: Request(url: wrong))
                }
                #expect(error?.code == .untrustedCertificate)
            }
        }
    }

    @Test
    func `reaches nginx over a Unix socket`() async throws {
        try await ExternalServer.run(.nginx) { server in
            try server.write(patternedData(count: 300_000), as: "file.bin")
            let path = try #require(server.unixSocket)
            var configuration = Session.Configuration()
            configuration.unixSocketPath = path
            try await Session.withSession(configuration: configuration) { session in
                let url = try #require(URL(string: "http://localhost/file.bin"))
                for _ in 0..<3 {
                    let response = try await session.response(for: Request(url: url))
                    #expect(response.body == patternedData(count: 300_000))
                }
            }
        }
    }
}
