// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Dispatch
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What is told while a connection is made: names, addresses, proxies, handshakes.
@Suite(.timeLimit(.minutes(1))) struct ConnectEventsTests {
    private typealias Events = TransportObserverTests

    static let request = Events.request + Events.response + ["ended"]

    // MARK: Ways that lead somewhere

    struct Way: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var isSecure = false
        var proxy: Proxy.Scheme?
        /// What comes between `connectStarted` and `connectEnded`.
        var connect: [String]
    }

    static let lookup = Events.lookup
    static let attempt = Events.attempt
    static let handshake = Events.handshake
    static let tunnel = ["tunnelStarted", "tunnelEnded"]

    static let ways: [Way] = [
        Way(testDescription: "http", connect: lookup + attempt),
        Way(testDescription: "https", isSecure: true, connect: lookup + attempt + handshake),
        Way(testDescription: "http through an http proxy", proxy: .http, connect: lookup + attempt),
        Way(
            testDescription: "https through an http proxy",
            isSecure: true,
            proxy: .http,
            connect: lookup + attempt + tunnel + handshake
        ),
        Way(
            testDescription: "https through an https proxy",
            isSecure: true,
            proxy: .https,
            connect: lookup + attempt + handshake + tunnel + handshake
        ),
        Way(testDescription: "http through SOCKS", proxy: .socks5h, connect: lookup + attempt + tunnel),
        Way(
            testDescription: "https through SOCKS, with names looked up here",
            isSecure: true,
            proxy: .socks5,
            connect: lookup + lookup + attempt + tunnel + handshake
        ),
    ]

    @Test(arguments: ways) func `every way is told in order, and a used connection has none`(_ way: Way) async throws {
        let observer = RecordingObserver()
        try await TestServer.withServer(tls: way.isSecure ? .init() : nil) { server async throws in
            for _ in 0..<2 { server.enqueue(ScriptedResponse(body: "hello")) }
            let steps: [ScriptedPeer.Step] =
                way.proxy == .http && !way.isSecure
                ? [.relay(port: server.port)]
                : ProxyRouteTests.steps(way.proxy ?? .http, password: false, relayTo: server.port)
            let tls = way.proxy == .https ? try ScriptedPeer.context(authority: .shared()) : nil
            try await ScriptedPeer.run(steps, tls: tls) { peer in
                let proxy = way.proxy.map { Proxy(scheme: $0, host: "localhost", port: peer.port) }
                try await Self.withTransport(observer, proxy: proxy) { transport async throws in
                    for _ in 0..<2 {
                        _ = try await transport.exchange(
                            TransportRequest(origin: ProxyRouteTests.origin(server), target: "/")
                        )
                    }
                    await observer.waitForEnds(2)
                }
            }
        }
        let start = ["started"] + (way.proxy == nil ? [] : ["proxySelected"])
        let connect = ["connectStarted"] + way.connect + ["connectEnded"]
        #expect(observer.names == [start + connect + Self.request, start + Self.request])
    }

    @Test func `says who, where and with whom`() async throws {
        let observer = RecordingObserver()
        try await TestServer.withServer(tls: .init()) { server async throws in
            server.enqueue(ScriptedResponse())
            try await Self.withTransport(observer) { transport async throws in
                let origin = ProxyRouteTests.origin(server)
                _ = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
            for event in observer.events {
                switch event {
                case .resolveStarted(let host): #expect(host == "localhost")
                case .resolveEnded(let addresses): #expect(addresses == ["127.0.0.1"])
                case .attemptStarted(let address): #expect(address == "127.0.0.1:\(server.port)")
                case .attemptEnded(let address): #expect(address == "127.0.0.1:\(server.port)")
                case .tlsHandshakeStarted(let host): #expect(host == "localhost")
                default: break
                }
            }
        }
    }

    // MARK: Ways that lead nowhere

    struct Failure: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var scheme = Origin.Scheme.http
        var addresses = ["127.0.0.1"]
        var proxy: Proxy.Scheme?
        /// What answers at the port; nil for nobody.
        var steps: [ScriptedPeer.Step]?
        var connect: [String]
    }

    static let refused = ["attemptStarted", "attemptFailed"]

    static let failures: [Failure] = [
        Failure(testDescription: "no address", addresses: [], connect: ["resolveStarted"]),
        Failure(testDescription: "refused", connect: lookup + refused),
        Failure(
            testDescription: "refused twice",
            addresses: ["127.0.0.1", "127.0.0.2"],
            connect: lookup + refused + refused
        ),
        Failure(
            testDescription: "no TLS",
            scheme: .https,
            steps: [.close],
            connect: lookup + attempt + ["tlsHandshakeStarted"]
        ),
        Failure(testDescription: "no proxy", proxy: .http, connect: lookup + refused),
        Failure(
            testDescription: "a proxy that refuses",
            scheme: .https,
            proxy: .http,
            steps: [.readHead, .send("HTTP/1.1 403 No\r\n\r\n")],
            connect: lookup + attempt + ["tunnelStarted"]
        ),
        Failure(
            testDescription: "a proxy without TLS",
            scheme: .https,
            proxy: .https,
            steps: [.close],
            connect: lookup + attempt + ["tlsHandshakeStarted"]
        ),
    ]

    @Test(arguments: failures) func `a connection that cannot be made ends what has begun`(_ one: Failure) async throws
    {
        let observer = RecordingObserver()
        func run(_ port: Int) async throws {
            let proxy = one.proxy.map { Proxy(scheme: $0, host: "localhost", port: port) }
            let resolver = FixedResolver(addresses: one.addresses)
            try await Self.withTransport(observer, proxy: proxy, resolver: resolver) { transport async throws in
                let origin = Origin(scheme: one.scheme, host: "localhost", port: port)
                await #expect(throws: TransportError.self) {
                    try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                }
            }
        }
        if let steps = one.steps {
            try await ScriptedPeer.run(steps) { peer in try await run(peer.port) }
        } else {
            try await run(try await refusedPort())
        }
        let start = ["started"] + (one.proxy == nil ? [] : ["proxySelected"])
        #expect(observer.names == [start + ["connectStarted"] + one.connect + ["connectFailed", "failed"]])
    }

    // MARK: Exchanges that do not wait for it

    @Test func `a cancelled lookup is told by the cancellation alone`() async throws {
        let observer = RecordingObserver()
        let gate = Gate()
        try await Self.withTransport(observer, resolver: gate) { transport async throws in
            let request = TransportRequest(origin: Origin(scheme: .http, host: "a.test", port: 1), target: "/")
            let exchange = Task { try await transport.exchange(request) }
            await observer.wait(for: "resolveStarted")
            exchange.cancel()
            await #expect(throws: CancellationError.self) { try await exchange.value }
            // The observer may still be busy with the event before.
            await observer.waitForEnds(1)
            gate.open()
        }
        #expect(observer.names == [["started", "connectStarted", "resolveStarted", "cancelled"]])
    }

    @Test func `an exchange that gets another connection hears no more of its own`() async throws {
        let observer = RecordingObserver()
        let (gate, isAsked) = (Gate(), DispatchSemaphore(value: 0))
        try await TestServer.withServer { server async throws in
            let count = Mutex(0)
            server.respond { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 1 else { return ScriptedResponse(effect: .stall(.beforeResponse)) }
                // The first response comes once the second request waits for a connection of its own.
                isAsked.wait()
                return ScriptedResponse(body: "hello")
            }
            try await Self.withTransport(observer, resolver: gate) { transport async throws in
                let request = TransportRequest(origin: ProxyRouteTests.origin(server), target: "/")
                gate.openOnce()
                let first = Task { try await transport.exchange(request) }
                while count.withLock({ $0 }) < 1 { await Task.yield() }
                let second = Task { try await transport.exchange(request) }
                await gate.wait(for: 2)
                isAsked.signal()
                #expect(try await first.value.status == .ok)
                // The second goes over the connection of the first, and its own is made meanwhile.
                for _ in 0..<2 { _ = try await server.takeRequest() }
                gate.open()
                while transport.statistics.connecting > 0 { await Task.yield() }
                #expect(transport.statistics.open == 2)
                second.cancel()
                _ = await second.result
                await observer.waitForEnds(2)
            }
            _ = server.takeFailures()
        }
        let connect = ["connectStarted"] + Self.lookup + Self.attempt + ["connectEnded"]
        #expect(observer.names.first == ["started"] + connect + Self.request)
        let other = ["started", "connectStarted", "resolveStarted"] + Events.request
        #expect(observer.names.last == other + ["connectionReleased", "cancelled"])
    }

    @Test(.bug(id: "F855")) func `each of several requests hears of the connection that is made for it`() async throws {
        let observer = RecordingObserver()
        let gate = Gate()
        let tls = try ScriptedPeer.context(authority: .shared(), protocols: ["http/1.1"])
        let response: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        // A connection that has served one of them may serve another.
        let steps = (0..<6).flatMap { _ in response }
        try await ScriptedPeer.run(steps, tls: tls) { peer in
            try await Self.withTransport(observer, resolver: gate) { transport async throws in
                let origin = Origin(scheme: .https, host: "localhost", port: peer.port)
                let exchanges = (0..<6).map { _ in
                    Task { try await transport.exchange(TransportRequest(origin: origin, target: "/")).status }
                }
                while transport.statistics.waiting < 6 { await Task.yield() }
                gate.open()
                for exchange in exchanges { #expect(try await exchange.value == .ok) }
                await observer.waitForEnds(6)
            }
        }
        #expect(observer.names.map { names in names.count { $0 == "connectStarted" } } == [1, 1, 1, 1, 1, 1])
    }

    // MARK: Support

    /// A transport that is observed, for the length of one test.
    static func withTransport(
        _ observer: RecordingObserver,
        proxy: Proxy? = nil,
        resolver: any NameResolver = LoopbackResolver(),
        _ body: (NIOTransport) async throws -> Void
    ) async throws {
        var configuration = Events.configuration(observer)
        let root = try CertificateAuthority.shared().pem
        configuration.tls.additionalRoots = [.pem(root)]
        configuration.proxyTLS.additionalRoots = [.pem(root)]
        configuration.proxy = proxy.map { .fixed($0) } ?? .direct
        configuration.resolver = resolver
        try await NIOTransport.running(configuration, body)
    }

    /// Finds the addresses it was given.
    struct FixedResolver: NameResolver {
        var addresses: [String]

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            try self.addresses.map { try SocketAddress(ipAddress: $0, port: port) }
        }
    }

    /// Finds nothing before it is told to; who asked first is answered first.
    final class Gate: NameResolver {
        private let state = Mutex((asked: 0, allowed: 0))

        /// Waits until so many questions have been asked.
        func wait(for count: Int) async {
            while self.state.withLock({ $0.asked }) < count { await Task.yield() }
        }

        /// Answers one question.
        func openOnce() { self.state.withLock { $0.allowed += 1 } }

        /// Answers all questions.
        func open() { self.state.withLock { $0.allowed = .max } }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            let number = self.state.withLock { state in
                state.asked += 1
                return state.asked
            }
            while self.state.withLock({ $0.allowed }) < number {
                try Task.checkCancellation()
                await Task.yield()
            }
            return try await LoopbackResolver().addresses(of: host, port: port)
        }
    }
}
