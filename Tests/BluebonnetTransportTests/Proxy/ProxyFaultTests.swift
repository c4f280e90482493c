// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// What a proxy does wrong, and the error it gives: typed, in time, with nothing of the request in the wrong hands.
@Suite(.timeLimit(.minutes(1))) struct ProxyFaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var scheme = Proxy.Scheme.http
        var steps: [ScriptedPeer.Step]
        var code = TransportError.Code.proxyFailed
        var status: Int?
        var testDescription: String { self.name }
    }

    static let cases: [Case] = [
        Case(
            name: "407",
            steps: [.readHead, .send("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic realm=x\r\n\r\n")],
            code: .proxyAuthenticationRequired,
            status: 407
        ),
        Case(
            name: "403 with a body",
            steps: [.readHead, .send("HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\nno!!!")],
            status: 403
        ),
        Case(
            name: "502 with a body without end",
            steps: [.readHead, .drip(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>".utf8))],
            status: 502
        ),
        Case(name: "garbage", steps: [.readHead, .send("SSH-2.0-OpenSSH_9.2p1\r\n")]),
        Case(
            name: "an endless head",
            steps: [.readHead, .send("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 1 << 20))]
        ),
        Case(
            name: "ten thousand fields",
            steps: [.readHead, .send("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10_000))]
        ),
        Case(
            name: "endless informational responses",
            steps: [.readHead, .send(String(repeating: "HTTP/1.1 102 Wait\r\n\r\n", count: 1_000))]
        ),
        Case(name: "closes at once", steps: [.close]),
        Case(name: "resets at once", steps: [.reset]),
        Case(name: "closes without an answer", steps: [.readHead, .close]),
        Case(name: "resets without an answer", steps: [.readHead, .reset]),
        Case(name: "silence", steps: [], code: .timedOut),
        Case(name: "silence in the head", steps: [.readHead, .send("HTTP/1.1 200 OK\r\n")], code: .timedOut),
        Case(name: "SOCKS: HTTP", scheme: .socks5h, steps: [.read(4), .send("HTTP/1.1 400 Bad\r\n\r\n")]),
        Case(
            name: "SOCKS: wrong password",
            scheme: .socks5h,
            steps: [.read(4), .send([5, 2]), .read(12), .send([1, 1])],
            code: .proxyAuthenticationRequired
        ),
        Case(
            name: "SOCKS: no method",
            scheme: .socks5h,
            steps: [.read(4), .send([5, 255])],
            code: .proxyAuthenticationRequired
        ),
        Case(
            name: "SOCKS: refused",
            scheme: .socks5h,
            steps: [.read(4), .send([5, 0]), .read(18), .send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])]
        ),
        Case(name: "SOCKS: silence", scheme: .socks5h, steps: [.read(4)], code: .timedOut),
        Case(name: "SOCKS: closes", scheme: .socks5h, steps: [.read(4), .send([5]), .close]),
        Case(name: "SOCKS: resets", scheme: .socks5h, steps: [.read(4), .send([5, 0]), .reset]),
    ]

    @Test(arguments: cases) func `a fault is one typed error, in time, and the request stays here`(
        _ one: Case
    ) async throws {
        try await ScriptedPeer.run(one.steps) { peer in
            let error = try await Self.failure(one.scheme, port: peer.port)
            #expect(error.code == one.code, "\(error)")
            #expect(error.phase == .connect)
            #expect(error.proxyStatus == one.status)
            #expect(!error.isRequestSent)
            #expect(!"\(error)".contains("secret"))
            #expect(!peer.receivedText.contains("for-the-origin"))
            if one.scheme == .http { #expect(peer.receivedText.occurrences(of: "HTTP/1.1") <= 1) }
        }
    }

    @Test func `a head that is cut anywhere is a typed error`() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\n".utf8)
        for end in head.indices {
            try await ScriptedPeer.run([.readHead, .send(Array(head[..<end])), .close]) { peer in
                let error = try await Self.failure(.http, port: peer.port)
                #expect(error.code == .proxyFailed, "cut after \(end) bytes")
                #expect(!error.isRequestSent)
            }
        }
    }

    @Test func `a tunnel that leads nowhere is the origin's fault`() async throws {
        // The way is open, and what answers there does not speak TLS.
        try await ScriptedPeer.run([.readHead, .send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n")]) {
            peer in
            let error = try await Self.failure(.http, port: peer.port)
            #expect(error.code == .tlsFailed)
            #expect(error.phase == .tlsHandshake)
        }
    }

    @Test(.bug(id: "F533"), arguments: [Proxy.Scheme.http, .https], [ScriptedPeer.Step.close, .drop])
    func `a tunnel that is closed at once was closed during the handshake with the origin`(
        _ scheme: Proxy.Scheme,
        _ end: ScriptedPeer.Step
    ) async throws {
        let tls = scheme == .https ? try ScriptedPeer.context(authority: .shared()) : nil
        try await ScriptedPeer.run([.readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), end], tls: tls) { peer in
            let error = try await Self.failure(scheme, port: peer.port)
            #expect(error.code == .connectionClosed)
            #expect(error.phase == .tlsHandshake)
            #expect(error.reason == "the server closed the connection during the TLS handshake")
        }
    }

    @Test func `credentials are not sent to an https proxy that is not trusted`() async throws {
        for (kind, isTrusted) in [(CertificateKind.valid, false), (.wrongHost, true), (.expired, true)] {
            let tls = try ScriptedPeer.context(kind, authority: .shared())
            try await ScriptedPeer.run([.readHead], tls: tls) { peer in
                let error = try await Self.failure(.https, port: peer.port, trusts: isTrusted)
                #expect(error.code == .untrustedCertificate)
                #expect(error.reason.contains("proxy"))
                #expect(peer.received.joined().isEmpty)
            }
        }
    }

    @Test(arguments: Proxy.Scheme.allCases) func `a proxy that is not there fails at once`(
        _ scheme: Proxy.Scheme
    ) async throws {
        let started = ContinuousClock.now
        let error = try await Self.failure(scheme, port: try await refusedPort())
        #expect(error.code == .proxyFailed)
        #expect(error.phase == .connect)
        #expect(error.reason.contains("refused"))
        #expect(started.duration(to: .now) < .seconds(1))
    }

    @Test func `a proxy without an address is the proxy's fault`() async throws {
        struct Nobody: NameResolver {
            func addresses(of host: String, port: Int) async throws -> [SocketAddress] { [] }
        }
        let error = try await Self.failure(.http, port: 1, resolver: Nobody())
        #expect(error.code == .proxyFailed)
        #expect(error.phase == .resolve)
    }

    @Test func `a proxy that cannot be used fails the request before anything is opened`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: 70_000, username: "a:b"))
        let transport = NIOTransport(configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(ProxyRouteTests.request(Origin(scheme: .https, host: "localhost")))
        }
        #expect(error?.code == .invalidProxy)
    }

    /// Sends a request through a proxy that does not let it pass.
    static func failure(
        _ scheme: Proxy.Scheme,
        port: Int,
        trusts: Bool = true,
        resolver: any NameResolver = LoopbackResolver()
    ) async throws -> TransportError {
        var configuration = NIOTransport.Configuration()
        configuration.resolver = resolver
        if trusts { configuration.proxyTLS.additionalRoots = [.pem(try CertificateAuthority.shared().pem)] }
        // What is trusted of origins must not matter.
        configuration.tls.additionalRoots = [.pem(try CertificateAuthority.shared().pem)]
        configuration.proxy = .fixed(
            Proxy(scheme: scheme, host: "localhost", port: port, username: "ada", password: "secret")
        )
        let transport = NIOTransport(configuration: configuration)
        var request = ProxyRouteTests.request(Origin(scheme: .https, host: "origin.test"))
        request.timeouts.connect = .milliseconds(500)
        let started = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
        #expect(started.duration(to: .now) < .seconds(10))
        await transport.shutdown()
        return try #require(error)
    }
}

/// A port on loopback that nobody listens on.
func refusedPort() async throws -> Int {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 0).get()
    let port = listener.localAddress?.port ?? 0
    try await listener.close()
    return port
}
