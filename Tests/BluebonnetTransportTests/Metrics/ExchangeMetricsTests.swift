// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ExchangeMetricsTests {
    @Test(arguments: [false, true]) func `tells heads and bodies apart, before and after decoding`(
        _ streamed: Bool
    ) async throws {
        try await Engine.run { engine in
            let encoded = EncodedFormat.gzip.encode(EncodedFormat.text)
            var ids = Set<UInt64>()
            for _ in 0..<2 {
                var scripted = ScriptedResponse(headers: [.contentEncoding: "gzip"], body: .bytes(encoded))
                scripted.framing = .chunked(byteCount: 100)
                engine.server.enqueue(scripted)
                let body = NIOTransportTests.reader(300_000, isLengthKnown: false)
                var request = engine.request(.put, "/", body: body, streamed: streamed)
                request.decodesContent = true
                let answer = try await engine.send(request)
                let metrics = try #require(
                    streamed ? answer.response.body.metrics ?? answer.response.metrics : answer.response.metrics
                )
                #expect(metrics.requestBodyByteCount == 300_000)
                #expect(metrics.requestByteCount > metrics.requestBodyByteCount + metrics.requestHeadByteCount)
                #expect((50..<500).contains(metrics.requestHeadByteCount))
                #expect((50..<500).contains(metrics.responseHeadByteCount))
                #expect(metrics.responseBodyByteCount == Int64(encoded.count))
                #expect(metrics.decodedBodyByteCount == Int64(EncodedFormat.text.count))
                #expect(metrics.responseByteCount > metrics.responseBodyByteCount + metrics.responseHeadByteCount)
                #expect(metrics.httpVersion == .http11)
                #expect(metrics.localAddress?.hasPrefix("127.0.0.1:") == true)
                #expect(metrics.responseBodyEnded != nil)
                ids.insert(try #require(metrics.connectionID))
            }
            #expect(ids.count == 1)
        }
    }

    @Test func `a stream tells everything at its end`() async throws {
        try await Engine.run { engine in
            let response = try await engine.transport.exchange(engine.request(.get, "/bytes/3000000", streamed: true))
            #expect(response.metrics.responseBodyEnded == nil)
            #expect(response.body.metrics == nil)
            var byteCount: Int64 = 0
            for try await bytes in response.body { byteCount += Int64(bytes.readableBytes) }
            let metrics = try #require(response.body.metrics)
            #expect(metrics.responseBodyByteCount == byteCount)
            #expect(metrics.responseBodyEnded != nil)
        }
    }

    @Test func `counts on HTTP2 as well`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(repeating: 1, count: 70_000))
            let request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            let response = try await transport.exchange(request)
            #expect(response.metrics.httpVersion == .http2)
            #expect(response.metrics.requestBodyByteCount == 70_000)
            #expect(response.metrics.requestHeadByteCount > 0)
            #expect(response.metrics.responseHeadByteCount > 0)
            #expect(response.metrics.responseBodyByteCount == Int64(response.body.collectedBytes?.readableBytes ?? 0))
        }
    }

    @Test(.bug(id: "F354")) func `frames and trailers count on HTTP2, in both directions`() async throws {
        // A head in two frames, and padding.
        let head = Wire.block([(":status", "200")])
        let trailers = Wire.block([("x-sum", "1")])
        let behaviour = RawPeer.Behaviour { request in
            // The trailers of the request count as a head.
            guard request.number == 1 else { return [] }
            let stream = request.stream
            let frames =
                Wire.frame(1, flags: 8, stream: stream, [2] + head.prefix(3) + [0, 0])
                + Wire.frame(9, flags: 4, stream: stream, Array(head.dropFirst(3)))
                + Wire.frame(0, flags: 8, stream: stream, [3, 0x6F, 0x6B, 0, 0, 0])
                + Wire.frame(1, flags: 5, stream: stream, trailers)
            return [.send(frames)]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(repeating: 1, count: 20_000))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            request.trailers = { [.eTag: "\"sum\""] }
            let response = try await transport.exchange(request)
            let metrics = response.metrics
            let sent = peer.state.withLock { $0.frames.filter { $0.stream == 1 } }
            #expect(sent.map(\.kind) == [1, 0, 0, 1])
            #expect(metrics.requestHeadByteCount == Int64(sent.first?.payload.count ?? 0))
            #expect(metrics.requestBodyByteCount == 20_000)
            #expect(metrics.requestByteCount == Int64(sent.reduce(0) { $0 + 9 + $1.payload.count }))
            #expect(metrics.responseHeadByteCount == Int64(head.count))
            #expect(metrics.responseBodyByteCount == 2)
            let framing = 4 * 9 + 3 + 4
            #expect(metrics.responseByteCount == Int64(head.count + 2 + trailers.count + framing))
        }
    }

    @Test func `the wait for a connection has stamps of its own`() async throws {
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine in
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)), ScriptedResponse())
            let busy = Task { try await engine.send(engine.request(.get, "/busy")) }
            _ = try await engine.server.takeRequest()
            let waiting = Task { try await engine.send(engine.request(.get, "/")) }
            while engine.transport.statistics.waiting == 0 { await Task.yield() }
            await clock.advance(by: .seconds(3))
            // Its connection closes with it, and another one is made for the one that waits.
            busy.cancel()
            let metrics = try await waiting.value.response.metrics
            #expect(metrics.started == metrics.queueStarted)
            #expect(metrics.queueStarted?.advanced(by: .seconds(3)) == metrics.queueEnded)
            #expect(metrics.connectStarted == metrics.queueEnded)
            let next = try await engine.send(engine.request(.get, "/status/204")).response.metrics
            let now = EngineClock(clock).instant()
            #expect(next.queueStarted == now && next.queueEnded == now)
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
            engine.server.enqueue(ScriptedResponse(effect: .stall(.beforeResponse)), ScriptedResponse())
            let exchange = Task { try await engine.send(engine.request(.get, "/")) }
            _ = try await engine.server.takeRequest()
            await clock.advance(by: .seconds(2))
            // The connection dies under it.
            engine.server.closeConnections()
            let metrics = try await exchange.value.response.metrics
            #expect(metrics.started?.advanced(by: .seconds(2)) == metrics.queueStarted)
            #expect(metrics.queueStarted == metrics.queueEnded)
            _ = engine.server.takeFailures()
        }
    }

    @Test func `names HTTP 1 0`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(.raw("HTTP/1.0 200 OK\r\n\r\nhello"))
            let response = try await engine.send(engine.request(.get, "/")).response
            #expect(response.metrics.httpVersion == .http10)
        }
    }
}
