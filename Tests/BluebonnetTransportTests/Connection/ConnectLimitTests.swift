// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// The limits on making a connection, under a clock that is turned by hand.
@Suite(.timeLimit(.minutes(1))) struct ConnectLimitTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The only limit there is.
        var limit: any WritableKeyPath<Timeouts, Duration?> & Sendable
        /// The event after which it runs.
        var begin: String
        var phase: TransportError.Phase
        var scheme = Origin.Scheme.http
        var proxy: Proxy.Scheme?
        /// Who is there, and says no more than this; nil where nobody answers.
        var steps: [ScriptedPeer.Step]? = []
        var resolver: @Sendable () -> any NameResolver = { LoopbackResolver() }
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a name that nobody looks up",
            limit: \.resolve,
            begin: "resolveStarted",
            phase: .resolve,
            resolver: { ConnectEventsTests.Gate() }
        ),
        Case(
            testDescription: "an address that does not answer",
            limit: \.connect,
            begin: "attemptStarted",
            phase: .connect,
            steps: nil
        ),
        Case(
            testDescription: "a handshake without an answer",
            limit: \.tlsHandshake,
            begin: "tlsHandshakeStarted",
            phase: .tlsHandshake,
            scheme: .https
        ),
        Case(
            testDescription: "a proxy that is silent",
            limit: \.connect,
            begin: "tunnelStarted",
            phase: .connect,
            scheme: .https,
            proxy: .http
        ),
        Case(
            testDescription: "a proxy that stops halfway",
            limit: \.connect,
            begin: "tunnelStarted",
            phase: .connect,
            proxy: .socks5,
            steps: [.read(3), .send([5, 0])]
        ),
        Case(
            testDescription: "a proxy whose name nobody looks up",
            limit: \.resolve,
            begin: "resolveStarted",
            phase: .resolve,
            proxy: .http,
            resolver: { ConnectEventsTests.Gate() }
        ),
        Case(
            testDescription: "a proxy that does not answer",
            limit: \.connect,
            begin: "attemptStarted",
            phase: .connect,
            proxy: .socks5,
            steps: nil
        ),
        Case(
            testDescription: "a handshake with a proxy",
            limit: \.tlsHandshake,
            begin: "tlsHandshakeStarted",
            phase: .tlsHandshake,
            proxy: .https
        ),
    ]

    /// What a test has while a connection is being made.
    private struct Stage {
        let clock = ManualClock()
        let observer = RecordingObserver()
        // The only loop there is: what it does next, it does after the timer was set.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let port: Int

        /// Lets the loop do what it has to.
        func settle() async throws { try await self.group.next().submit {}.get() }
    }

    /// Runs a test from the moment at which a connection has got into a stage.
    private static func reach(
        _ one: Case,
        _ limit: Duration,
        _ body: (Stage, NIOTransport, Task<TransportResponse, any Error>) async throws -> Void
    ) async throws {
        func run(_ port: Int) async throws {
            let stage = Stage(port: port)
            var configuration = NIOTransport.Configuration()
            configuration.clock = EngineClock(stage.clock)
            configuration.observer = stage.observer
            configuration.resolver = one.resolver()
            configuration.proxy =
                one.proxy.map { .fixed(Proxy(scheme: $0, host: "localhost", port: port)) } ?? .direct
            let transport = NIOTransport(configuration: configuration, eventLoopGroup: stage.group)
            var request = TransportRequest(
                origin: Origin(scheme: one.scheme, host: "localhost", port: port),
                target: "/"
            )
            (request.timeouts.queue, request.timeouts.resolve) = (nil, nil)
            (request.timeouts.connect, request.timeouts.tlsHandshake) = (nil, nil)
            request.timeouts[keyPath: one.limit] = limit
            let outgoing = request
            let exchange = Task { try await transport.exchange(outgoing) }
            await stage.observer.wait(for: one.begin)
            try await stage.settle()
            try await body(stage, transport, exchange)
            await transport.shutdown()
            try await stage.group.shutdownGracefully()
        }
        if let steps = one.steps {
            try await ScriptedPeer.run(steps) { peer in try await run(peer.port) }
        } else {
            try await DeafListener.run { port in try await run(port) }
        }
    }

    @Test(arguments: cases.indices, [Duration.milliseconds(250), .seconds(90)])
    func `each stage has its limit, to the millisecond`(_ index: Int, _ limit: Duration) async throws {
        let one = Self.cases[index]
        try await Self.reach(one, limit) { stage, _, exchange in
            await stage.clock.advance(by: limit - .milliseconds(1))
            try await stage.settle()
            #expect(stage.observer.events.last?.name == one.begin)
            await stage.clock.advance(by: .milliseconds(1))
            let error = await #expect(throws: TransportError.self) { try await exchange.value }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == one.phase)
            #expect(error?.isRequestSent == false)
            #expect(error?.reason.contains("\(limit)") == true)
        }
    }

    @Test(.bug(id: "F641"), arguments: cases.indices)
    func `the error about the total limit says which stage was under way`(_ index: Int) async throws {
        var one = Self.cases[index]
        one.limit = \.total
        try await Self.reach(one, .seconds(2)) { stage, _, exchange in
            await stage.clock.advance(by: .seconds(2) + .milliseconds(10))
            let error = await #expect(throws: TransportError.self) { try await exchange.value }
            #expect(error?.code == .timedOut && error?.phase == .total)
            #expect(error?.phaseUnderWay == one.phase)
            #expect(error?.reason == "the exchange took longer than its limit in all; \(one.phase.clause)")
            #expect(error?.isRequestSent == false)
        }
    }

    @Test(.bug(id: "F641"), arguments: [true, false])
    func `the error of a request that got no connection says where the connections are limited`(
        _ isTotal: Bool
    ) async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let first = Task { try await engine.transport.exchange(engine.request(.get, "/")) }
            try await engine.server.waitForConnections { $0.open == 1 }
            var request = engine.request(.get, "/")
            if isTotal { request.timeouts.total = .seconds(2) } else { request.timeouts.queue = .seconds(2) }
            let second = Task { [request] in try await engine.transport.exchange(request) }
            while engine.transport.statistics.waiting < 1 { await Task.yield() }
            let result = await clock.advance(by: .seconds(1), until: second)
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.phase == (isTotal ? .total : .queue))
            #expect(error?.reason.contains("pool.maximumConnectionsPerOrigin") == true)
            if !isTotal { #expect(error?.reason.contains("within 2.0 seconds") == true) }
            #expect(error?.isRequestSent == false)
            first.cancel()
            _ = await first.result
        }
    }

    @Test(.bug(id: "F167"), .bug(id: "F461"), arguments: cases.indices)
    func `the end of the engine closes the socket of a connection that is being made`(_ index: Int) async throws {
        let one = Self.cases[index]
        try await Self.reach(one, .seconds(90)) { stage, transport, exchange in
            await transport.shutdown()
            #expect(LifeTests.sockets(to: stage.port) == (one.steps == nil ? DeafListener.connectionCount : 0))
            #expect(transport.statistics.connecting == 0)
            let error = await #expect(throws: TransportError.self) { try await exchange.value }
            #expect(error?.code == .shutDown)
            #expect(error?.phase == one.phase)
            #expect(error?.isRequestSent == false)
        }
    }

    @Test func `no connection is made after the end of the engine, though its name is found`() async throws {
        let names = ConnectEventsTests.Gate()
        var configuration = NIOTransport.Configuration()
        configuration.resolver = names
        try await TestServer.withServer { server in
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .http, host: "localhost", port: server.port)
            let warming = Task { try await transport.warmUp(origin) }
            await names.wait(for: 1)
            await transport.shutdown()
            names.open()
            let error = await #expect(throws: TransportError.self) { try await warming.value }
            #expect(error?.code == .shutDown)
            #expect(server.totalConnections == 0)
        }
    }

    @Test func `the short limit of one request fails no other that waits for the same connection`() async throws {
        let (clock, names) = (ManualClock(), ConnectEventsTests.Gate())
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.resolver = names
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { (engine: Engine) async throws in
            let origin = Origin(scheme: .http, host: "localhost", port: engine.server.port)
            var hasty = TransportRequest(origin: origin, target: "/status/200")
            hasty.timeouts.idle = .milliseconds(20)
            let first = Task { [hasty] in try await engine.transport.exchange(hasty) }
            await names.wait(for: 1)
            let patient = TransportRequest(origin: origin, target: "/status/204")
            let second = Task { try await engine.transport.exchange(patient) }
            while engine.transport.statistics.waiting < 2 { await Task.yield() }
            // Once may be too early: the resolver is asked before the timer of its limit is set.
            let result = await clock.advance(by: .milliseconds(20), until: first)
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.code == .timedOut)
            // The other one has an attempt of its own, within its own limits.
            await names.wait(for: 2)
            names.open()
            #expect(try await second.value.status == .noContent)
        }
    }

    @Test func `stamps come from the same clock`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.resolver = LoopbackResolver()
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            await clock.advance(by: .seconds(1_000_000))
            let metrics = try await engine.send(engine.request(.get, "/status/200")).response.metrics
            let stamps = [
                metrics.started, metrics.resolveStarted, metrics.resolveEnded, metrics.connectStarted,
                metrics.connectEnded, metrics.tlsHandshakeEnded, metrics.requestHeadStarted, metrics.requestBodyEnded,
                metrics.responseHeadEnded, metrics.responseBodyEnded,
            ]
            #expect(stamps == [_](repeating: EngineClock(clock).instant(), count: stamps.count))
        }
    }
}
