// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeMetricsTests {
    @Test(arguments: [false, true]) func `tells heads and bodies apart, before and after decoding`(
        _ streamed: Bool
    ) async throws {
        try await Engine.run { engine in
            let encoded = EncodedFormat.gzip.encode(EncodedFormat.text)
            var ids = Set<UInt64>()
            for _ in 0..<2 {
                var scripted = ScriptedReply(headers: [.contentEncoding: "gzip"], body: .bytes(encoded))
                scripted.framing = .chunked(byteCount: 100)
                engine.server.enqueue(scripted)
                let body = NIOTransportTests.reader(300_000, isLengthKnown: false)
                var request = engine.request(.put, "/", body: body, streamed: streamed)
                request.decodesContent = true
                let answer = try await engine.send(request)
                let metrics = try #require(
                    streamed ? answer.reply.body.metrics ?? answer.reply.metrics : answer.reply.metrics
                )
                #expect(metrics.requestBodyByteCount == 300_000)
                #expect(metrics.requestByteCount > metrics.requestBodyByteCount + metrics.requestHeadByteCount)
                #expect((50..<500).contains(metrics.requestHeadByteCount))
                #expect((50..<500).contains(metrics.replyHeadByteCount))
                #expect(metrics.replyBodyByteCount == Int64(encoded.count))
                #expect(metrics.decodedBodyByteCount == Int64(EncodedFormat.text.count))
                #expect(metrics.replyByteCount > metrics.replyBodyByteCount + metrics.replyHeadByteCount)
                #expect(metrics.httpVersion == .http11)
                #expect(metrics.localAddress?.hasPrefix("127.0.0.1:") == true)
                #expect(metrics.replyEnded != nil)
                ids.insert(try #require(metrics.connectionID))
            }
            #expect(ids.count == 1)
        }
    }

    @Test func `a stream tells everything at its end`() async throws {
        try await Engine.run { engine in
            let reply = try await engine.transport.exchange(engine.request(.get, "/bytes/3000000", streamed: true))
            #expect(reply.metrics.replyEnded == nil)
            #expect(reply.body.metrics == nil)
            var byteCount: Int64 = 0
            for try await bytes in reply.body { byteCount += Int64(bytes.readableBytes) }
            let metrics = try #require(reply.body.metrics)
            #expect(metrics.replyBodyByteCount == byteCount)
            #expect(metrics.replyEnded != nil)
        }
    }

    @Test func `counts on HTTP2 as well`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(repeating: 1, count: 70_000))
            let request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            let reply = try await transport.exchange(request)
            #expect(reply.metrics.httpVersion == .http2)
            #expect(reply.metrics.requestBodyByteCount == 70_000)
            #expect(reply.metrics.requestHeadByteCount > 0)
            #expect(reply.metrics.replyHeadByteCount > 0)
            #expect(reply.metrics.replyBodyByteCount == Int64(reply.body.collectedBytes?.readableBytes ?? 0))
        }
    }

    @Test func `the wait for a connection has stamps of its own`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedReply(effect: .stall(.beforeReply)), ScriptedReply())
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            _ = try await engine.server.takeRequest()
            let waiting = Task { try await engine.send(engine.request(.get, "/")) }
            while engine.transport.statistics.waiting == 0 { await Task.yield() }
            await clock.advance(by: .seconds(3))
            // Its connection closes with it, and another one is made for the one that waits.
            busy.cancel()
            let metrics = try await waiting.value.reply.metrics
            #expect(metrics.started == metrics.waitStarted)
            #expect(metrics.waitStarted?.advanced(by: .seconds(3)) == metrics.waitEnded)
            #expect(metrics.connectStarted == metrics.waitEnded)
            let next = try await engine.send(engine.request(.get, "/status/204")).reply.metrics
            let now = EngineClock(clock).instant()
            #expect(next.waitStarted == now && next.waitEnded == now)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `an exchange that is tried again begins to wait again`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        try await Engine.run(engine: configuration) { engine in
            _ = try await engine.send(engine.request(.get, "/status/204"))
            _ = try await engine.server.takeRequest()
            engine.server.enqueue(ScriptedReply(effect: .stall(.beforeReply)), ScriptedReply())
            let exchange = Task { try await engine.send(engine.request(.get, "/")) }
            _ = try await engine.server.takeRequest()
            await clock.advance(by: .seconds(2))
            // The connection dies under it.
            engine.server.closeConnections()
            let metrics = try await exchange.value.reply.metrics
            #expect(metrics.started?.advanced(by: .seconds(2)) == metrics.waitStarted)
            #expect(metrics.waitStarted == metrics.waitEnded)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `names HTTP 1 0`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(.raw("HTTP/1.0 200 OK\r\n\r\nhello"))
            let reply = try await engine.send(engine.request(.get, "/")).reply
            #expect(reply.metrics.httpVersion == .http10)
        }
    }
}
