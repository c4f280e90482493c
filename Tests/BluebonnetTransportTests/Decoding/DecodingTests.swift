// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct DecodingTests {
    @Test(arguments: EncodedFormat.allCases, [true, false])
    func `decodes a response and corrects its fields`(_ format: EncodedFormat, _ streamed: Bool) async throws {
        try await Engine.run { engine in
            let encoded = format.encode(EncodedFormat.text)
            engine.server.enqueue(ScriptedResponse(headers: [.contentEncoding: format.name], body: .bytes(encoded)))
            var request = engine.request(.get, "/", streamed: streamed)
            request.decodesContent = true
            let answer = try await engine.send(request)
            #expect(Array(answer.body.utf8) == EncodedFormat.text)
            #expect(answer.response.headers[.contentEncoding] == nil)
            #expect(answer.response.headers[.contentLength] == nil)
            let received = try #require(answer.response.metrics.receivedHeaders)
            #expect(received[.contentEncoding] == format.name)
            #expect(received[.contentLength] == "\(encoded.count)")
        }
    }

    @Test func `undoes one coding inside another in the right order`() async throws {
        try await Engine.run { engine in
            let encoded = EncodedFormat.gzip.encode(EncodedFormat.zlib.encode(EncodedFormat.text))
            for (fields, decodes) in [
                ("deflate, identity, gzip", true), ("deflate, GZIP,", true), ("compress, gzip", false),
            ] {
                engine.server.enqueue(ScriptedResponse(headers: [.contentEncoding: fields], body: .bytes(encoded)))
                var request = engine.request(.get, "/")
                request.decodesContent = true
                let answer = try await engine.send(request)
                #expect(answer.bytes == ByteBuffer(bytes: decodes ? EncodedFormat.text : encoded))
                #expect(answer.response.headers[.contentEncoding] == (decodes ? nil : fields))
                #expect(answer.response.metrics.receivedHeaders?[.contentEncoding] == (decodes ? fields : nil))
            }
        }
    }

    @Test func `leaves a response as it is unless asked, when it is a part, and when it is empty`() async throws {
        try await Engine.run { engine in
            let encoded = EncodedFormat.gzip.encode(EncodedFormat.text)
            for (status, decodes, method) in [
                (200, false, HTTPRequest.Method.get), (206, true, .get), (200, true, .head),
            ] {
                let body: ScriptedResponse.Body = .bytes(encoded)
                engine.server.enqueue(
                    ScriptedResponse(status: .init(code: status), headers: [.contentEncoding: "gzip"], body: body)
                )
                var request = engine.request(method, "/")
                request.decodesContent = decodes
                let response = try await engine.transport.exchange(request)
                #expect(response.body.collectedBytes == (method == .head ? ByteBuffer() : ByteBuffer(bytes: encoded)))
                #expect(response.headers[.contentEncoding] == "gzip")
            }
        }
    }

    @Test func `a bomb fails its exchange with a bounded amount read`() async throws {
        try await Engine.run { engine in
            let bomb = EncodedFormat.gzip.encode([UInt8](repeating: 0, count: 50_000_000))
            for streamed in [true, false] {
                engine.server.enqueue(ScriptedResponse(headers: [.contentEncoding: "gzip"], body: .bytes(bomb)))
                var request = engine.request(.get, "/", streamed: streamed)
                request.decodesContent = true
                let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
                #expect(error?.code == .decompressionFailed)
            }
            engine.server.enqueue(ScriptedResponse(headers: [.contentEncoding: "gzip, br, gzip"], body: .bytes(bomb)))
            var request = engine.request(.get, "/")
            request.decodesContent = true
            let twice = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(twice?.code == .decompressionFailed)
        }
    }

    @Test func `a slow consumer of a decoded response gets every byte`() async throws {
        try await Engine.run { engine in
            let plain = [UInt8](repeating: 0x41, count: 4_000_000)
            engine.server.enqueue(
                ScriptedResponse(
                    headers: [.contentEncoding: "gzip", .connection: "close"],
                    body: .bytes(EncodedFormat.gzip.encode(plain))
                )
            )
            var request = engine.request(.get, "/", streamed: true)
            request.decodesContent = true
            let response = try await engine.transport.exchange(request)
            var count = 0
            for try await buffer in response.body {
                // The server is done and gone while this is still being read.
                if count == 0 { try await engine.server.waitForConnections { $0.open == 0 } }
                count += buffer.readableBytes
            }
            #expect(count == plain.count)
        }
    }
}
