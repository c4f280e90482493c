// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOSSL
import Testing

/// Exchanges through a proxy that works, and who gets to see what.
@Suite(.timeLimit(.minutes(1))) struct ProxyRouteTests {
    /// A transport that goes through a proxy, for the length of one test.
    static func withTransport(
        _ proxy: Proxy,
        resolver: any NameResolver = .system,
        _ body: (NIOTransport) async throws -> Void
    ) async throws {
        var configuration = NIOTransport.Configuration()
        let root = try CertificateAuthority.shared().pem
        configuration.tls.additionalRoots = [.pem(root)]
        configuration.proxyTLS.additionalRoots = [.pem(root)]
        configuration.proxy = .fixed(proxy)
        configuration.resolver = resolver
        try await NIOTransport.running(configuration, body)
    }

    /// A request whose every part is recognised where it must not be.
    static func request(_ origin: Origin, _ target: String = "/status/200") -> TransportRequest {
        var headers = HTTPFields()
        headers[.proxyAuthorization] = "Basic stolen"
        headers[.authorization] = "Bearer for-the-origin"
        for name in ["Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info"] {
            if let name = HTTPField.Name(name) { headers[name] = "stolen" }
        }
        return TransportRequest(origin: origin, target: target, headers: headers)
    }

    static func origin(_ server: TestServer) -> Origin {
        Origin(scheme: server.isSecure ? .https : .http, host: "localhost", port: server.port)
    }

    /// What a proxy of each kind says until the way is open.
    static func steps(_ scheme: Proxy.Scheme, password: Bool, relayTo port: Int) -> [ScriptedPeer.Step] {
        switch scheme {
        case .http, .https:
            return [.readHead, .drip(Array("HTTP/1.1 200 OK\r\nVia: x\r\n\r\n".utf8)), .relay(port: port)]
        case .socks5, .socks5h:
            let name = scheme == .socks5h ? 1 + "localhost".utf8.count : 4
            return (password ? [.read(4), .send([5, 2]), .read(12), .send([1, 0])] : [.read(3), .send([5, 0])])
                + [.read(4 + name + 2), .drip([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), .relay(port: port)]
        }
    }

    @Test(arguments: Proxy.Scheme.allCases, [true, false])
    func `opens a tunnel to an https origin and says nothing in it`(
        _ scheme: Proxy.Scheme,
        _ password: Bool
    ) async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            let tls = scheme == .https ? try ScriptedPeer.context(authority: .shared()) : nil
            // IPv4 only, as the server listens.
            let steps = Self.steps(scheme, password: password, relayTo: server.port)
            try await ScriptedPeer.run(steps, tls: tls) { peer in
                var proxy = Proxy(scheme: scheme, host: tls == nil ? "127.0.0.1" : "localhost", port: peer.port)
                if password { (proxy.username, proxy.password) = ("ada", "secret") }
                try await Self.withTransport(proxy, resolver: LoopbackResolver()) { transport async throws in
                    let response = try await transport.exchange(Self.request(Self.origin(server)))
                    #expect(response.status == .ok)
                    #expect(response.metrics.remoteAddress == "127.0.0.1:\(peer.port)")
                    let again = try await transport.exchange(Self.request(Self.origin(server)))
                    #expect(again.metrics.isConnectionReused)
                    let stamps = [
                        response.metrics.connectStarted, response.metrics.connectEnded, response.metrics.tunnelEnded,
                        response.metrics.tlsHandshakeEnded, response.metrics.requestHeadStarted,
                    ].compactMap { $0 }
                    #expect(stamps.count == 5 && stamps == stamps.sorted())
                }
                #expect(peer.received.count == 1)
                let seen = peer.receivedText
                for text in ["for-the-origin", "stolen", "status/200"] { #expect(!seen.contains(text)) }
                switch scheme {
                case .http, .https:
                    let head = "CONNECT localhost:\(server.port) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n"
                    let credentials = password ? "Proxy-Authorization: Basic YWRhOnNlY3JldA==\r\n" : ""
                    let whole = head + credentials + "\r\n"
                    #expect(seen.hasPrefix(whole))
                    #expect(try #require(peer.received.first).dropFirst(whole.utf8.count).starts(with: [22, 3]))
                case .socks5, .socks5h:
                    let port = [UInt8(server.port >> 8), UInt8(server.port & 0xFF)]
                    let name: [UInt8] = scheme == .socks5 ? [1, 127, 0, 0, 1] : [3, 9] + Array("localhost".utf8)
                    let request = [5, 1, 0] + name + port
                    let bytes = try #require(peer.received.first).dropFirst(password ? 16 : 3)
                    #expect(bytes.starts(with: request))
                    // Then TLS, from its first byte on (RFC 8446 section 5.1).
                    #expect(bytes.dropFirst(request.count).starts(with: [22, 3]))
                }
            }
            for _ in 0..<2 {
                let request = try await server.takeRequest()
                #expect(request.target == "/status/200")
                #expect(request.headers[.authorization] == "Bearer for-the-origin")
                #expect(!request.headers.contains { $0.name.canonicalName.hasPrefix("proxy-") })
            }
        }
    }

    @Test(.bug(id: "F507"), arguments: [false, true])
    func `a request that allows an upgrade gets a tunnel to an http origin`(_ isOwn: Bool) async throws {
        try await ScriptedPeer.run([.readHead, .send(UpgradeTests.switching)]) { origin in
            let steps: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .relay(port: origin.port)]
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: .http, host: "127.0.0.1", port: peer.port)
                var configuration = NIOTransport.Configuration()
                configuration.proxy = isOwn ? .direct : .fixed(proxy)
                try await NIOTransport.running(configuration) { transport async throws in
                    var request = UpgradeTests.request(origin.port, allowsUpgrade: true)
                    if isOwn { request.proxy = .fixed(proxy) }
                    let response = try await transport.exchange(request)
                    #expect(response.status.code == 101)
                    try await response.upgradedChannel?.close()
                }
                #expect(peer.receivedText.hasPrefix("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\n"))
            }
            #expect(
                origin.receivedText.contains("upgrade: echo\r\n") || origin.receivedText.contains("Upgrade: echo\r\n")
            )
        }
    }

    @Test(arguments: [Proxy.Scheme.socks5, .socks5h]) func `carries plain http through SOCKS as it is`(
        _ scheme: Proxy.Scheme
    ) async throws {
        try await TestServer.withServer { server async throws in
            let steps = Self.steps(scheme, password: false, relayTo: server.port)
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: scheme, host: "127.0.0.1", port: peer.port)
                try await Self.withTransport(proxy, resolver: LoopbackResolver()) { transport async throws in
                    #expect(try await transport.exchange(Self.request(Self.origin(server))).status == .ok)
                }
            }
            let request = try await server.takeRequest()
            #expect(request.target == "/status/200")
            #expect(!request.headers.contains { $0.name.canonicalName.hasPrefix("proxy-") })
        }
    }

    /// Knows where a service is: its address and its port.
    private struct ServiceResolver: NameResolver {
        let port: Int

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            [try SocketAddress(ipAddress: "127.0.0.1", port: self.port)]
        }
    }

    @Test(.bug(id: "F193")) func `the port that a resolver gives is asked of a SOCKS proxy`() async throws {
        try await TestServer.withServer { server async throws in
            let steps = Self.steps(.socks5, password: false, relayTo: server.port)
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: .socks5, host: "127.0.0.1", port: peer.port)
                let origin = Origin(scheme: .http, host: "service.test", port: 81)
                try await Self.withTransport(proxy, resolver: ServiceResolver(port: 4711)) { transport async throws in
                    #expect(try await transport.exchange(Self.request(origin)).status == .ok)
                }
                let bytes = try #require(peer.received.first).dropFirst(3)
                #expect(bytes.starts(with: [5, 1, 0, 1, 127, 0, 0, 1, 0x12, 0x67]))
            }
            // The origin is still the one that was asked for.
            let request = try await server.takeRequest()
            #expect(HTTPField.Name("Host").flatMap { request.headers[$0] } == "service.test:81")
        }
    }

    @Test(arguments: [false, true]) func `lets an HTTP proxy forward plain http`(_ isSecure: Bool) async throws {
        try await TestServer.withServer(tls: isSecure ? .init() : nil) { server async throws in
            for _ in 0..<3 { server.enqueue(ScriptedResponse(status: .ok, body: "forwarded")) }
            var proxy = Proxy(
                scheme: isSecure ? .https : .http,
                host: isSecure ? "localhost" : server.host,
                port: server.port,
                username: "ada",
                password: "secret"
            )
            proxy.headers[.userAgent] = "for-the-proxy/1"
            let origin = Origin(scheme: .http, host: "origin.test", port: 81)
            try await Self.withTransport(proxy, resolver: LoopbackResolver()) { transport async throws in
                for target in ["/a?b", "*"] {
                    var request = Self.request(origin, target)
                    if target == "*" { request.method = .options }
                    let response = try await transport.exchange(request)
                    #expect(response.body.collectedBytes.map { String(buffer: $0) } == "forwarded")
                    // TLS with the proxy belongs to the connect phase.
                    let isFirst = !response.metrics.isConnectionReused
                    #expect((response.metrics.tunnelEnded != nil) == (isSecure && isFirst))
                }
            }
            #expect(server.totalConnections == 1)
            for target in ["http://origin.test:81/a?b", "http://origin.test:81"] {
                let request = try await server.takeRequest()
                #expect(request.target == target)
                #expect(request.headers[fields: .proxyAuthorization].map(\.value) == ["Basic YWRhOnNlY3JldA=="])
                #expect(request.headers[.userAgent] == "for-the-proxy/1")
                #expect(HTTPField.Name("Host").flatMap { request.headers[$0] } == "origin.test:81")
                #expect(!request.headers.contains { $0.value == "stolen" })
            }
        }
    }

    @Test func `a connection that is made early goes through the proxy too`() async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            let steps = Self.steps(.http, password: false, relayTo: server.port)
            try await ScriptedPeer.run(steps) { peer in
                let proxy = Proxy(scheme: .http, host: "127.0.0.1", port: peer.port)
                try await Self.withTransport(proxy) { transport async throws in
                    try await transport.warmUp(Self.origin(server))
                    let response = try await transport.exchange(Self.request(Self.origin(server)))
                    #expect(response.status == .ok)
                    #expect(transport.statistics.opened == 1)
                }
                #expect(peer.received.count == 1)
            }
        }
    }

    @Test func `a 407 of a proxy that forwards is a response`() async throws {
        try await TestServer.withServer { server async throws in
            server.enqueue(ScriptedResponse(status: .proxyAuthenticationRequired))
            let proxy = Proxy(scheme: .http, host: server.host, port: server.port)
            try await Self.withTransport(proxy) { transport async throws in
                let response = try await transport.exchange(Self.request(Origin(scheme: .http, host: "origin.test")))
                #expect(response.status == .proxyAuthenticationRequired)
            }
        }
    }

    @Test func `no field for a proxy is sent without one`() async throws {
        try await Engine.run { engine async throws in
            #expect(try await engine.send(Self.request(engine.origin)).status == 200)
            let request = try await engine.server.takeRequest()
            #expect(request.headers[.authorization] == "Bearer for-the-origin")
            #expect(!request.headers.contains { $0.name.canonicalName.hasPrefix("proxy-") })
        }
    }
}

/// Every name is this machine, in IPv4.
struct LoopbackResolver: NameResolver {
    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        [try SocketAddress(ipAddress: "127.0.0.1", port: port)]
    }
}
