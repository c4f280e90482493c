// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var response: ScriptedResponse
        var phase: TransportError.Phase
        /// The only limit there is.
        var limit: any WritableKeyPath<Timeouts, Duration?> & Sendable
        /// The event after which time begins to pass.
        var begin: String
        var body = TransportBody.none
        /// What the total limit has interrupted.
        var phaseUnderWay: TransportError.Phase?
    }

    static let cases: [Case] = [
        Case(
            testDescription: "no response",
            response: ScriptedResponse(effect: .stall(.beforeResponse)),
            phase: .responseHead,
            limit: \.responseHead,
            begin: "requestHeadEnded"
        ),
        Case(
            testDescription: "half a head",
            response: .raw("HTTP/1.1 200 OK\r\nServer: ", thenCloses: false),
            phase: .responseHead,
            limit: \.responseHead,
            begin: "responseHeadStarted"
        ),
        Case(
            testDescription: "no body",
            response: ScriptedResponse(body: "hello", effect: .stall(.afterHead)),
            phase: .responseBody,
            limit: \.responseBody,
            begin: "responseBodyStarted"
        ),
        Case(
            testDescription: "half a body",
            response: ScriptedResponse(body: .pattern(1_000), effect: .stall(.afterBody(500))),
            phase: .responseBody,
            limit: \.responseBody,
            begin: "responseBodyStarted"
        ),
        Case(
            testDescription: "nobody takes the request",
            response: ScriptedResponse(effect: .doNotRead),
            phase: .requestBody,
            limit: \.requestBody,
            begin: "requestBodyStarted",
            body: NIOTransportTests.reader(200_000_000)
        ),
        Case(
            testDescription: "nobody takes a request from memory",
            response: ScriptedResponse(effect: .doNotRead),
            phase: .requestBody,
            limit: \.requestBody,
            begin: "requestBodyStarted",
            body: .bytes(ByteBuffer(repeating: 1, count: 50_000_000))
        ),
        Case(
            testDescription: "no response in all",
            response: ScriptedResponse(effect: .stall(.beforeResponse)),
            phase: .total,
            limit: \.total,
            begin: "requestHeadEnded",
            phaseUnderWay: .responseHead
        ),
        Case(
            testDescription: "a body that drips",
            response: ScriptedResponse(
                body: .pattern(1_000_000),
                effect: .throttle(byteCount: 10, every: .milliseconds(20))
            ),
            phase: .total,
            limit: \.total,
            begin: "responseBodyStarted",
            phaseUnderWay: .responseBody
        ),
    ]

    @Test(arguments: cases.indices, [true, false]) func `gives up in time and says in which phase`(
        _ index: Int,
        _ streamed: Bool
    ) async throws {
        let one = Self.cases[index]
        let clock = ManualClock()
        let observer = RecordingObserver()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.observer = observer
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(one.response)
            var request = engine.request(.post, "/", body: one.body, streamed: streamed)
            (request.timeouts.idle, request.timeouts.total) = (nil, nil)
            request.timeouts[keyPath: one.limit] = .milliseconds(1_500)
            let outgoing = request
            let exchange = Task { try await engine.send(outgoing) }
            await observer.wait(for: one.begin)
            let result = await clock.advance(by: .milliseconds(100), until: exchange)
            let error = #expect(throws: TransportError.self) { _ = try result.get().status }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == one.phase)
            #expect(error?.phaseUnderWay == one.phaseUnderWay)
            #expect(clock.elapsed >= .milliseconds(1_500))
            if one.response.effect != .doNotRead {
                // A server that does not read cannot see that the client has gone.
                try await engine.server.waitForConnections { $0.open == 0 }
            }
            _ = engine.server.takeFailures()
        }
    }

    @Test func `the limits on silence are set together and held apart`() {
        var timeouts = Timeouts()
        timeouts.idle = .milliseconds(250)
        let limited = ExchangePhase.allCases.filter { timeouts[$0] == .milliseconds(250) }
        #expect(limited == [.resolve, .connect, .tlsHandshake, .requestBody, .responseHead, .responseBody])
        #expect(timeouts.queue == .seconds(60) && timeouts.total == nil)
        timeouts.responseHead = nil
        #expect(timeouts.idle == .milliseconds(250))
    }

    @Test func `every phase has its limit under its name`() {
        for phase in ExchangePhase.allCases {
            var timeouts = Timeouts()
            timeouts[phase] = .milliseconds(7)
            #expect(ExchangePhase.allCases.filter { timeouts[$0] == .milliseconds(7) } == [phase])
        }
    }

    @Test(arguments: extremes) func `a limit that is set can be counted and printed`(_ limit: Duration) {
        for phase in ExchangePhase.allCases {
            var timeouts = Timeouts()
            timeouts[phase] = limit
            let counted = timeouts[phase] ?? .seconds(-1)
            #expect(counted >= .zero && counted <= .seconds(18.5 * 365.25 * 86_400), "\(counted)")
            #expect(limit > .zero || counted == .zero)
        }
    }

    @Test func `a host that does not answer ends after the limit on silence`() async throws {
        try await DeafListener.run { port in
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let (clock, observer) = (ManualClock(), RecordingObserver())
            var configuration = NIOTransport.Configuration()
            configuration.clock = EngineClock(clock)
            configuration.observer = observer
            configuration.proxy = .direct
            let transport = NIOTransport(configuration: configuration, eventLoopGroup: group)
            var request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: port), target: "/")
            request.timeouts.idle = .seconds(2)
            let outgoing = request
            let exchange = Task { try await transport.exchange(outgoing) }
            await observer.wait(for: "attemptStarted")
            try await group.next().submit {}.get()
            await clock.advance(by: .milliseconds(1_999))
            try await group.next().submit {}.get()
            #expect(observer.events.last?.name == "attemptStarted")
            await clock.advance(by: .milliseconds(1))
            let error = await #expect(throws: TransportError.self) { try await exchange.value }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .connect)
            await transport.shutdown()
            try await group.shutdownGracefully()
        }
    }

    /// Limits at the ends of what a duration can say.
    static let extremes: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 4, .seconds(Int64.min) * 4,
        .nanoseconds(Int64.max), .nanoseconds(Int64.min), .nanoseconds(-1), .zero,
    ]

    @Test(arguments: extremes, ExchangePhase.allCases)
    func `no duration is too long or too short for a limit`(_ limit: Duration, _ phase: ExchangePhase) async throws {
        for throughProxy in [false, true] {
            try await Engine.run { engine in
                var request = engine.request(.post, "/status/200", body: NIOTransportTests.reader(100))
                request.timeouts[phase] = limit
                request.continueTimeout = phase == .requestBody ? limit : nil
                // Nobody listens there: what counts is that the sum of the limits can be computed.
                if throughProxy { request.proxy = .fixed(Proxy(scheme: .socks5, host: "127.0.0.1", port: 1)) }
                do {
                    let response = try await engine.send(request)
                    #expect(response.status == 200)
                } catch let error as TransportError {
                    #expect(throughProxy || limit <= .zero, "\(error)")
                }
                _ = engine.server.takeFailures()
            }
        }
    }

    @Test(arguments: extremes) func `no duration is too long or too short for the pool and its connections`(
        _ limit: Duration
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.idleTimeout = limit
        configuration.pool.maximumAge = limit
        configuration.http2.pingInterval = limit
        configuration.http2.pingTimeout = limit
        configuration.socket.keepAlive = limit
        try await Engine.run(engine: configuration) { engine async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            await engine.transport.shutdown(within: limit <= .zero ? limit : .seconds(1))
        }
    }

    @Test func `waiting for a connection has its own limit`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)))
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            _ = try await engine.server.takeRequest()
            var request = engine.request(.get, "/status/200")
            request.timeouts.queue = .milliseconds(100)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .queue)
            #expect(error?.isRequestSent == false)
            request.timeouts.queue = nil
            request.timeouts.total = .milliseconds(100)
            let late = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(late?.phase == .total)
            busy.cancel()
            _ = await busy.result
            request.timeouts = Timeouts()
            #expect(try await engine.send(request).status == 200)
        }
    }

    @Test func `the handshake has its own limit`() async throws {
        // A plain server never answers the client's hello.
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(effect: .doNotRead))
            var request = engine.request(.get, "/")
            request.origin = Origin(scheme: .https, host: "127.0.0.1", port: engine.server.port)
            request.timeouts.tlsHandshake = .milliseconds(150)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.phase == .tlsHandshake)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a slow consumer is not the peer's silence`() async throws {
        try await Engine.run { engine in
            var request = engine.request(.get, "/bytes/30000000", streamed: true)
            request.timeouts.idle = .seconds(3)
            let response = try await engine.transport.exchange(request)
            var count = 0
            var isFirst = true
            for try await buffer in response.body {
                if isFirst {
                    // The consumer does nothing for longer than the limit; another request tells when that time is over.
                    isFirst = false
                    #expect(try await engine.send(engine.request(.get, "/delay/4")).status == 200)
                }
                count += buffer.readableBytes
            }
            #expect(count == 30_000_000)
        }
    }
}
