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

    @Test func `names HTTP 1 0`() async throws {
        try await Engine.run { engine in
            engine.server.enqueue(.raw("HTTP/1.0 200 OK\r\n\r\nhello"))
            let reply = try await engine.send(engine.request(.get, "/")).reply
            #expect(reply.metrics.httpVersion == .http10)
        }
    }
}
