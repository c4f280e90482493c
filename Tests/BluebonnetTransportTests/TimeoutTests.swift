// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var reply: ScriptedReply
        var phase: TransportError.Phase
        var set: @Sendable (inout Timeouts) -> Void
        var body = TransportBody.none
        var testDescription: String { self.name }
    }

    static let idle: @Sendable (inout Timeouts) -> Void = { $0.idle = .milliseconds(1_500) }
    static let total: @Sendable (inout Timeouts) -> Void = { $0.total = .milliseconds(1_500) }

    static let cases: [Case] = [
        Case(name: "no reply", reply: ScriptedReply(effect: .stall(.beforeReply)), phase: .head, set: idle),
        Case(name: "no body", reply: ScriptedReply(body: "hello", effect: .stall(.afterHead)), phase: .body, set: idle),
        Case(
            name: "half a body",
            reply: ScriptedReply(body: .pattern(1_000), effect: .stall(.afterBody(500))),
            phase: .body,
            set: idle
        ),
        Case(
            name: "nobody takes the request",
            reply: ScriptedReply(effect: .doNotRead),
            phase: .write,
            set: idle,
            body: NIOTransportTests.reader(200_000_000)
        ),
        Case(
            name: "nobody takes a request from memory",
            reply: ScriptedReply(effect: .doNotRead),
            phase: .write,
            set: idle,
            body: .bytes(ByteBuffer(repeating: 1, count: 50_000_000))
        ),
        Case(name: "no reply in all", reply: ScriptedReply(effect: .stall(.beforeReply)), phase: .total, set: total),
        Case(
            name: "a body that drips",
            reply: ScriptedReply(body: .pattern(1_000_000), effect: .throttle(byteCount: 10, every: .milliseconds(20))),
            phase: .total,
            set: total
        ),
    ]

    @Test(arguments: cases, [true, false]) func `gives up in time and says in which phase`(
        _ one: Case,
        _ streamed: Bool
    ) async throws {
        try await Engine.run { engine in
            // A connection is there already, so that no limit is spent on making one.
            _ = try await engine.send(engine.request(.get, "/status/200"))
            engine.server.enqueue(one.reply)
            var request = engine.request(.post, "/", body: one.body, streamed: streamed)
            one.set(&request.timeouts)
            let started = ContinuousClock.now
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            let took = ContinuousClock.now - started
            #expect(error?.code == .timedOut)
            #expect(error?.phase == one.phase)
            #expect(took >= .milliseconds(1_490))
            #expect(took < .seconds(10))
            if one.reply.effect != .doNotRead {
                // A server that does not read cannot see that the client has gone.
                try await engine.server.waitForConnections { $0.open == 0 }
            }
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a drip that is not silent for long is no silence`() async throws {
        try await Engine.run { engine async throws in
            engine.server.enqueue(
                ScriptedReply(body: .pattern(100), effect: .throttle(byteCount: 10, every: .milliseconds(200)))
            )
            var request = engine.request(.get, "/")
            request.timeouts.idle = .milliseconds(1_500)
            #expect(try await engine.send(request).reply.body.collectedBytes?.readableBytes == 100)
        }
    }

    @Test func `waiting for a connection has its own limit`() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedReply(effect: .stall(.beforeReply)))
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            _ = try await engine.server.takeRequest()
            var request = engine.request(.get, "/status/200")
            request.timeouts.pool = .milliseconds(100)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .pool)
            #expect(error?.isRequestSent == false)
            request.timeouts.pool = nil
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
            engine.server.enqueue(ScriptedReply(effect: .doNotRead))
            var request = engine.request(.get, "/")
            request.origin = Origin(scheme: .https, host: "127.0.0.1", port: engine.server.port)
            request.timeouts.handshake = .milliseconds(150)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.phase == .handshake)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `a slow consumer is not the peer's silence`() async throws {
        try await Engine.run { engine in
            var request = engine.request(.get, "/bytes/30000000", streamed: true)
            request.timeouts.idle = .milliseconds(1_000)
            let reply = try await engine.transport.exchange(request)
            var count = 0
            var isFirst = true
            for try await buffer in reply.body {
                if isFirst {
                    // The consumer does nothing for longer than the limit; another request tells when that time is over.
                    isFirst = false
                    #expect(try await engine.send(engine.request(.get, "/delay/2")).status == 200)
                }
                count += buffer.readableBytes
            }
            #expect(count == 30_000_000)
        }
    }
}
