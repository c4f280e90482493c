// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

/// Connections that died unnoticed, for example with a change of this machine's address: an attempt that met one is
/// not followed by one that meets the next.
@Suite(.timeLimit(.minutes(1))) struct SilentConnectionTests {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    struct Limits: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var change: @Sendable (inout Timeouts) -> Void
        var phase: ExchangePhase
        /// How many connections are idle after the failure.
        var idle: Int
    }

    static let limits = [
        Limits(
            testDescription: "two seconds for the head",
            change: { $0.responseHead = .seconds(2) },
            phase: .responseHead,
            idle: 0
        ),
        Limits(testDescription: "two seconds in all", change: { $0.total = .seconds(2) }, phase: .total, idle: 0),
        // It need not be the server's fault that nothing has come.
        Limits(
            testDescription: "half a second in all",
            change: { $0.total = .milliseconds(500) },
            phase: .total,
            idle: 2
        ),
    ]

    @Test(.bug(id: "F617"), arguments: Self.limits)
    func `after a request that met silence, connections that were idle before it are not used`(
        _ limits: Limits
    ) async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.proxy = .direct
        let answer = ScriptedPeer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try await ScriptedPeer.run(connections: [[], [], [], [.readHead, answer]]) { peer async throws in
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
            try await transport.warmUp(origin, count: 3)
            var request = TransportRequest(origin: origin, target: "/")
            limits.change(&request.timeouts)
            let first = Task { [request] in try await transport.exchange(request).status }
            while peer.receivedText.isEmpty { await Task.yield() }
            let result = await clock.advance(by: .milliseconds(100), until: first)
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.code == .timedOut && error?.phase == limits.phase)
            #expect(transport.statistics.idle == limits.idle)
            if limits.idle == 0 { #expect(try await transport.exchange(request).status == .ok) }
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F617")) func `an HTTP/2 connection that stayed silent takes no more requests`() async throws {
        let clock = ManualClock()
        var engine = NIOTransport.Configuration()
        engine.clock = EngineClock(clock)
        let behaviour = RawPeer.Behaviour { request in
            request.number == 1 ? [] : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = HTTP2EndTests.post(origin)
            request.timeouts.responseHead = .seconds(2)
            #expect(try await transport.exchange(request).status == .ok)
            let second = Task { [request] in try await transport.exchange(request).status }
            try await peer.until { $0.requests == 2 }
            let result = await clock.advance(by: .milliseconds(100), until: second)
            let error = #expect(throws: TransportError.self) { _ = try result.get() }
            #expect(error?.code == .timedOut && error?.phase == .responseHead)
            #expect(try await transport.exchange(request).status == .ok)
            #expect(transport.statistics.opened == 2)
            try await peer.until { $0.open == 1 }
        }
    }

    @Test(.bug(id: "F617")) func `connections that were used after the silence began stay`() {
        let key = PoolKey(origin: Origin(scheme: .http, host: "example.com"))
        let start = NIODeadline.uptimeNanoseconds(1_000)
        var state = State(rules: State.Rules(maximumPerKey: 3)) { $0.isWanted }
        let connections = (0..<3).map { _ in FakeConnection() }
        for (number, connection) in connections.enumerated() {
            _ = state.submit(FakeRequest(number), key: key, now: start) { _ in nil }
            _ = state.connected(connection, key: key, now: start)
        }
        _ = state.release(connections[1], now: start + .seconds(1))
        _ = state.release(connections[2], now: start + .seconds(3))
        for number in 3..<5 { _ = state.submit(FakeRequest(number), key: key, now: start) { _ in nil } }
        #expect(state.statistics.idle == 0)
        _ = state.release(connections[1], now: start + .seconds(1))
        _ = state.release(connections[2], now: start + .seconds(3))
        #expect(state.retireSilent(connections[0], since: start + .seconds(2)) == nil)
        #expect(state.takeExpired().map(ObjectIdentifier.init) == [ObjectIdentifier(connections[1])])
        #expect(state.statistics.idle == 1)
        #expect(state.release(connections[0], now: start + .seconds(4)).closes)
    }
}
