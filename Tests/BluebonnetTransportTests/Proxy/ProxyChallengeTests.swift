// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Proxies that want to know who asks: their challenges to CONNECT.
@Suite(.timeLimit(.minutes(1))) struct ProxyChallengeTests {
    static func proxy(
        _ port: Int,
        _ authentication: Proxy.Authentication = .challenged,
        scheme: Proxy.Scheme = .http,
        password: String? = "secret"
    ) -> Proxy {
        var proxy = Proxy(scheme: scheme, host: "localhost", port: port)
        if let password { (proxy.username, proxy.password) = ("ada", password) }
        proxy.authentication = authentication
        return proxy
    }

    /// A proxy that leads to a TLS server, and a transport that goes through it.
    static func withTunnel(
        _ options: FakeProxy.Options,
        scheme: Proxy.Scheme = .http,
        _ authentication: Proxy.Authentication = .challenged,
        password: String? = "secret",
        observer: RecordingObserver? = nil,
        _ body: (FakeProxy, NIOTransport, Origin) async throws -> Void
    ) async throws {
        try await TestServer.withServer(tls: .init()) { server async throws in
            let tls = scheme == .https ? try ScriptedPeer.context(authority: .shared()) : nil
            try await FakeProxy.run(options, tls: tls, to: server.port) { fake in
                var configuration = NIOTransport.Configuration()
                let root = try CertificateAuthority.shared().pem
                configuration.tls.additionalRoots = [.pem(root)]
                configuration.proxyTLS.additionalRoots = [.pem(root)]
                configuration.resolver = LoopbackResolver()
                configuration.observer = observer
                configuration.proxy = .fixed(
                    Self.proxy(fake.port, authentication, scheme: scheme, password: password)
                )
                try await NIOTransport.running(configuration) { transport async throws in
                    try await body(fake, transport, ProxyRouteTests.origin(server))
                }
                // Nothing that is for the origin reaches the proxy, and nothing that is for the proxy goes through it.
                for seen in fake.seen {
                    #expect(!seen.text.contains("for-the-origin") && !seen.text.contains("stolen"))
                }
            }
            for _ in 0..<server.untakenRequestCount {
                let request = try await server.takeRequest()
                #expect(request.headers[.authorization] == "Bearer for-the-origin")
                #expect(!request.headers.contains { $0.name.canonicalName.hasPrefix("proxy-") })
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var options = FakeProxy.Options()
        var authentication = Proxy.Authentication.challenged
        var password: String? = "secret"
        /// The credentials of each CONNECT.
        var sent: [String?]
        var connections = 1
        var isOpen = true
    }

    static func options(
        _ challenges: [String] = ["Digest"],
        _ change: (inout FakeProxy.Options) -> Void = { _ in }
    )
        -> FakeProxy.Options
    {
        var options = FakeProxy.Options()
        options.challenges = challenges
        change(&options)
        return options
    }

    static let cases: [Case] = [
        Case(testDescription: "Digest over the same connection", sent: [nil, "Digest 1"]),
        Case(
            testDescription: "Digest over another connection",
            options: options { $0.keepsConnection = false },
            sent: [nil, "Digest 1"],
            connections: 2
        ),
        Case(testDescription: "a body in chunks", options: options { $0.isChunked = true }, sent: [nil, "Digest 1"]),
        Case(testDescription: "no body", options: options { $0.byteCount = 0 }, sent: [nil, "Digest 1"]),
        Case(
            testDescription: "a body that is too large",
            options: options { $0.byteCount = 200_000 },
            sent: [nil, "Digest 1"],
            connections: 2
        ),
        Case(
            testDescription: "a large body in chunks",
            options: options { ($0.byteCount, $0.isChunked) = (200_000, true) },
            sent: [nil, "Digest 1"],
            connections: 2
        ),
        Case(
            testDescription: "Proxy-Connection: close",
            options: options { $0.fields = "Proxy-Connection: close\r\n" },
            sent: [nil, "Digest 1"],
            connections: 2
        ),
        Case(
            testDescription: "a connection that is closed after all",
            options: options { $0.breaksPromise = true },
            sent: [nil, "Digest 2"],
            connections: 2
        ),
        Case(
            testDescription: "Basic is offered first",
            options: options(["Basic", "Digest"]),
            sent: [nil, "Digest 1"]
        ),
        Case(
            testDescription: "a digest of the body, which CONNECT has not",
            options: options { $0.quality = "auth-int" },
            sent: [nil, "Digest 1"]
        ),
        Case(testDescription: "only Basic is offered", options: options(["Basic"]), sent: [nil, "Basic"]),
        Case(
            testDescription: "Basic at once",
            options: options(["Basic", "Digest"]),
            authentication: .basicFirst,
            sent: ["Basic"]
        ),
        Case(
            testDescription: "Basic at once, and Digest is wanted",
            authentication: .basicFirst,
            sent: ["Basic", "Digest 1"]
        ),
        Case(
            testDescription: "Digest alone",
            options: options(["Basic", "Digest"]),
            authentication: .digest,
            sent: [nil, "Digest 1"]
        ),
        Case(
            testDescription: "Digest alone, and only Basic is offered",
            options: options(["Basic"]),
            authentication: .digest,
            sent: [nil],
            isOpen: false
        ),
        Case(
            testDescription: "an unknown scheme beside",
            options: options(["Negotiate", "Digest"]),
            sent: [nil, "Digest 1"]
        ),
        Case(testDescription: "an unknown scheme", options: options(["Negotiate"]), sent: [nil], isOpen: false),
        Case(testDescription: "no credentials", password: nil, sent: [nil], isOpen: false),
        Case(testDescription: "a wrong password", password: "wrong", sent: [nil, "Digest 1"], isOpen: false),
        Case(
            testDescription: "a wrong password, and Basic is offered too",
            options: options(["Digest", "Basic"]),
            password: "wrong",
            sent: [nil, "Digest 1"],
            isOpen: false
        ),
        Case(
            testDescription: "a wrong password with Basic at once",
            options: options(["Digest", "Basic"]),
            authentication: .basicFirst,
            password: "wrong",
            sent: ["Basic"],
            isOpen: false
        ),
        Case(
            testDescription: "a stale nonce",
            options: options { $0.staleCount = 1 },
            sent: [nil, "Digest 1", "Digest 1"]
        ),
        Case(
            testDescription: "every nonce stale",
            options: options { $0.staleCount = 1000 },
            sent: [nil] + Array(repeating: "Digest 1", count: 5),
            isOpen: false
        ),
        Case(testDescription: "a right proof", options: options { $0.proof = .right }, sent: [nil, "Digest 1"]),
    ]

    @Test(arguments: cases) func `a challenge to CONNECT is answered within its rules`(_ one: Case) async throws {
        try await Self.withTunnel(one.options, one.authentication, password: one.password) { fake, transport, origin in
            let result: Result<TransportResponse, any Error>
            do { result = .success(try await transport.exchange(ProxyRouteTests.request(origin))) } catch {
                result = .failure(error)
            }
            switch result {
            case .success(let response): #expect(one.isOpen && response.status == .ok)
            case .failure(let error):
                let error = try #require(error as? TransportError)
                #expect(!one.isOpen && error.code == .proxyAuthenticationRequired, "\(error)")
                #expect(error.proxyStatus == 407 && !error.isRequestSent)
                #expect(!"\(error)".contains("secret") && !"\(error)".contains("wrong"))
            }
            // What was closed over was not looked at.
            #expect(fake.credentials == one.sent)
            #expect(fake.connectionCount == one.connections)
        }
    }

    @Test(arguments: [Proxy.Scheme.http, .https]) func `tunnels share what a proxy has accepted, and its count`(
        _ scheme: Proxy.Scheme
    ) async throws {
        try await Self.withTunnel(Self.options { $0.keepsConnection = false }, scheme: scheme) {
            fake,
            transport,
            origin in
            _ = try await transport.exchange(ProxyRouteTests.request(origin))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        // Each of them wants a connection of its own.
                        var request = ProxyRouteTests.request(origin, "/delay/0.05")
                        request.localAddress = "127.0.0.1"
                        _ = try await transport.exchange(request)
                    }
                }
                try await group.waitForAll()
            }
            let counts = fake.credentials.compactMap { $0 }
            #expect(fake.credentials.count == counts.count + 1)
            #expect(Set(counts).count == counts.count && counts.count > 2)
            #expect(fake.seen.dropFirst().allSatisfy { $0.isAccepted })
        }
    }

    @Test func `parallel first tunnels are all opened`() async throws {
        try await Self.withTunnel(Self.options()) { fake, transport, origin in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await transport.exchange(ProxyRouteTests.request(origin, "/delay/0.02")) }
                }
                try await group.waitForAll()
            }
            let refused = fake.seen.filter { !$0.isAccepted }
            #expect(refused.allSatisfy { $0.credentials == nil })
            #expect(fake.seen.count > refused.count)
        }
    }

    @Test func `a wrong proof of a proxy is an error before anything goes through its tunnel`() async throws {
        try await Self.withTunnel(Self.options { $0.proof = .wrong }) { fake, transport, origin in
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(ProxyRouteTests.request(origin))
            }
            #expect(error?.code == .proxyFailed && error?.isRequestSent == false)
            #expect(fake.credentials == [nil, "Digest 1"])
        }
    }

    @Test(arguments: [true, false]) func `the observer is told of a challenge inside the tunnel's group`(
        _ isRight: Bool
    ) async throws {
        let observer = RecordingObserver()
        try await Self.withTunnel(Self.options(), password: isRight ? "secret" : "wrong", observer: observer) {
            _,
            transport,
            origin in
            _ = try? await transport.exchange(ProxyRouteTests.request(origin))
            await observer.waitForEnds(1)
        }
        let names = observer.names.flatMap { $0 }.filter { $0.hasPrefix("tunnel") || $0 == "connectFailed" }
        #expect(
            names
                == (isRight
                    ? ["tunnelStarted", "tunnelChallenged", "tunnelEnded"]
                    : ["tunnelStarted", "tunnelChallenged", "tunnelChallenged", "connectFailed"])
        )
        var schemes: [AuthenticationScheme?] = []
        for case .tunnelChallenged(_, let scheme) in observer.events { schemes.append(scheme) }
        #expect(schemes == (isRight ? [.digest] : [.digest, nil]))
    }

    @Test func `HTTP2 runs through a tunnel that was opened with Digest`() async throws {
        var engine = NIOTransport.Configuration()
        engine.resolver = LoopbackResolver()
        try await HTTP2Server.run(engine: engine) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            try await FakeProxy.run(Self.options(), to: server.port) { fake in
                for _ in 0..<3 {
                    var request = ProxyRouteTests.request(origin, "/bytes/10")
                    request.proxy = .fixed(Self.proxy(fake.port))
                    let response = try await transport.exchange(request)
                    #expect(try await response.body.collect(upTo: 100).readableBytes == 10)
                }
                #expect(fake.credentials == [nil, "Digest 1"])
                #expect(fake.connectionCount == 1)
            }
            let fields = server.seen.withLock { $0.flatMap(\.fields) }
            #expect(!fields.contains { $0.hasPrefix("proxy-") || $0.contains("stolen") })
        }
    }
}
