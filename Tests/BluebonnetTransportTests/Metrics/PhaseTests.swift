// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// One vocabulary for the phases of an exchange: in limits, errors and measurements.
@Suite(.timeLimit(.minutes(1))) struct PhaseTests {
    struct Stamp: Sendable {
        var property: any WritableKeyPath<ExchangeMetrics, ExchangeMetrics.Instant?> & Sendable
        var milliseconds: Int
    }

    private static func metrics(_ stamps: [Stamp]) -> ExchangeMetrics {
        let start = ExchangeMetrics.Instant.now
        var metrics = ExchangeMetrics()
        for stamp in stamps {
            metrics[keyPath: stamp.property] = start.advanced(by: .milliseconds(stamp.milliseconds))
        }
        return metrics
    }

    private static func durations(_ metrics: ExchangeMetrics) -> [ExchangePhase: Int] {
        var durations = [ExchangePhase: Int]()
        for phase in ExchangePhase.allCases {
            durations[phase] = metrics.duration(of: phase).map { Int($0 / .milliseconds(1)) }
        }
        return durations
    }

    private static let request: [Stamp] = [
        Stamp(property: \.requestHeadStarted, milliseconds: 500),
        Stamp(property: \.requestBodyEnded, milliseconds: 510),
        Stamp(property: \.responseHeadEnded, milliseconds: 530),
        Stamp(property: \.responseBodyEnded, milliseconds: 570),
    ]

    @Test func `each phase has its duration, and one that did not take place has none`() {
        let queue = [Stamp(property: \.started, milliseconds: 0), Stamp(property: \.queueStarted, milliseconds: 0)]
        let used = queue + [Stamp(property: \.queueEnded, milliseconds: 500)] + Self.request
        let rest: [ExchangePhase: Int] = [.requestBody: 10, .responseHead: 20, .responseBody: 40, .total: 570]
        #expect(Self.durations(Self.metrics(used)) == rest.merging([.queue: 500]) { $1 })

        let made =
            used + [
                Stamp(property: \.resolveStarted, milliseconds: 100),
                Stamp(property: \.resolveEnded, milliseconds: 150),
                Stamp(property: \.connectStarted, milliseconds: 150),
                Stamp(property: \.connectEnded, milliseconds: 200),
                Stamp(property: \.tlsHandshakeEnded, milliseconds: 300),
            ]
        let establishing: [ExchangePhase: Int] = [.queue: 100, .resolve: 50, .connect: 50, .tlsHandshake: 100]
        #expect(Self.durations(Self.metrics(made)) == rest.merging(establishing) { $1 })

        let tunneled =
            made + [
                Stamp(property: \.tlsPreparationStarted, milliseconds: 60),
                Stamp(property: \.tlsPreparationEnded, milliseconds: 100),
                Stamp(property: \.tunnelEnded, milliseconds: 260),
            ]
        let tunnel: [ExchangePhase: Int] = [.queue: 60, .resolve: 50, .connect: 110, .tlsHandshake: 80]
        #expect(Self.durations(Self.metrics(tunneled)) == rest.merging(tunnel) { $1 })
        #expect(Self.durations(ExchangeMetrics()).isEmpty)
    }

    @Test func `a phase is never negative`() {
        // A server that responds before it has the whole request, on a connection that was begun for another exchange.
        let metrics = Self.metrics([
            Stamp(property: \.queueStarted, milliseconds: 100), Stamp(property: \.connectStarted, milliseconds: 50),
            Stamp(property: \.queueEnded, milliseconds: 120), Stamp(property: \.requestBodyEnded, milliseconds: 300),
            Stamp(property: \.responseHeadEnded, milliseconds: 200),
        ])
        #expect(Self.durations(metrics) == [.queue: 0, .responseHead: 0])
    }

    @Test func `reading the roots is no waiting`() async throws {
        try await Engine.run(tls: .init()) { engine in
            let first = try await engine.send(engine.request(.get, "/status/200")).response.metrics
            let prepared = try #require(first.tlsPreparationEnded)
            #expect(
                try first.duration(of: .queue)
                    == #require(first.queueStarted).duration(to: #require(first.tlsPreparationStarted))
            )
            #expect(try prepared <= #require(first.connectStarted))
            let second = try await engine.send(engine.request(.get, "/status/200")).response.metrics
            #expect(second.isConnectionReused && second.tlsPreparationStarted == nil)
        }
    }

    @Test func `an instant beyond the clock's range is the last or the first of the range`() {
        let now = ExchangeMetrics.Instant.now
        #expect(now.advanced(by: .seconds(Int64.max)) > now)
        #expect(now.advanced(by: .seconds(Int64.min) * 4) < now)
        #expect(now.advanced(by: .seconds(-1)).duration(to: now) == .seconds(1))
        #expect(now.advanced(by: .nanoseconds(Int64.min)) < now)
    }

    @Test func `the reason is what a person is shown`() {
        let error = TransportError(.timedOut, phase: .connect, reason: "connecting took longer than 2 seconds")
        #expect(error.errorDescription == "connecting took longer than 2 seconds")
    }

    /// Where an exchange stands when its transport is shut down.
    enum Moment: CaseIterable, Sendable {
        case queue, connect, tlsHandshake, requestBody, responseHead, responseBody

        var phase: ExchangePhase {
            switch self {
            case .queue: .queue
            case .connect: .connect
            case .tlsHandshake: .tlsHandshake
            case .requestBody: .requestBody
            case .responseHead: .responseHead
            case .responseBody: .responseBody
            }
        }

        /// The last event before it.
        var event: String {
            switch self {
            case .queue: "started"
            case .connect: "attemptStarted"
            case .tlsHandshake: "tlsHandshakeStarted"
            case .requestBody: "requestBodyStarted"
            case .responseHead: "requestBodyEnded"
            case .responseBody: "responseBodyStarted"
            }
        }

        var response: ScriptedResponse {
            switch self {
            case .queue, .connect, .responseHead: ScriptedResponse(effect: .stall(.beforeResponse))
            case .tlsHandshake, .requestBody: ScriptedResponse(effect: .doNotRead)
            case .responseBody: ScriptedResponse(body: .pattern(1_000), effect: .stall(.afterBody(500)))
            }
        }
    }

    @Test(arguments: Moment.allCases) func `a shutdown says in which phase the exchange was`(
        _ moment: Moment
    ) async throws {
        func run(_ port: Int) async throws {
            let observer = RecordingObserver()
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.pool.maximumConnectionsPerOrigin = 1
            let transport = NIOTransport(configuration: configuration)
            let scheme = moment == .tlsHandshake ? Origin.Scheme.https : .http
            let byteCount: Int64 = moment == .requestBody ? 1_000_000_000 : 10
            var request = TransportRequest(
                method: .post,
                origin: Origin(scheme: scheme, host: "127.0.0.1", port: port),
                target: "/",
                body: NIOTransportTests.reader(byteCount)
            )
            let busy = request
            let first = moment == .queue ? Task { try await transport.exchange(busy) } : nil
            while moment == .queue, transport.statistics.inFlight == 0 { await Task.yield() }
            request.observer = observer
            let outgoing = request
            let exchange = Task { try await transport.exchange(outgoing) }
            await observer.wait(for: moment.event)
            while moment == .queue, transport.statistics.waiting == 0 { await Task.yield() }
            await transport.shutdown()
            let error = await #expect(throws: TransportError.self) { try await exchange.value }
            #expect(error?.code == .shutDown)
            #expect(error?.phase == moment.phase)
            let wasSent = [.requestBody, .responseHead, .responseBody].contains(moment.phase)
            #expect(error?.isRequestSent == wasSent)
            _ = await first?.result
        }
        switch moment {
        case .connect: try await DeafListener.run { try await run($0) }
        // Accepts the connection and never answers the handshake.
        case .tlsHandshake: try await ScriptedPeer.run([.read(1 << 20)]) { try await run($0.port) }
        default:
            try await Engine.run { engine in
                for _ in 0..<2 { engine.server.enqueue(moment.response) }
                try await run(engine.server.port)
                _ = engine.server.takeFailures()
            }
        }
    }
}
