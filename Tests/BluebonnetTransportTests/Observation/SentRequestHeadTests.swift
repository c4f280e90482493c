// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// The head of a request as observers are told it.
@Suite(.timeLimit(.minutes(1))) struct SentRequestHeadTests {
    private static let headers: HTTPFields = [.authorization: "secret", .accept: "text/plain"]

    private static func head(_ observer: RecordingObserver) throws -> SentRequestHead {
        let heads: [SentRequestHead] = observer.events.compactMap { event in
            if case .requestHeadEnded(let head) = event { head } else { nil }
        }
        #expect(heads.count == 1)
        return try #require(heads.first)
    }

    @Test func `on HTTP1 it is what the server receives`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: TransportObserverTests.configuration(observer)) { engine in
            let body = TransportBody.bytes(ByteBuffer(string: "body"))
            var request = engine.request(.put, "/put?a=b", body: body)
            request.headers = Self.headers
            _ = try await engine.send(request)
            let received = try await engine.server.takeRequest()
            let head = try Self.head(observer)
            #expect(head.httpVersion == .http11)
            #expect(head.method == "PUT")
            #expect(head.target == "/put?a=b")
            #expect(head.headers == received.headers)
            #expect(head.headers[.contentLength] == "4")
            #expect(head.headers.first?.name.canonicalName == "host")
            #expect(String(decoding: head.bytes, as: UTF8.self).hasPrefix("PUT /put?a=b HTTP/1.1\r\nHost: "))
            #expect(head.bytes.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A])
        }
    }

    @Test func `on HTTP2 it has the fields of the header block`() async throws {
        let observer = RecordingObserver()
        try await HTTP2Server.run(engine: TransportObserverTests.configuration(observer)) {
            (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.bytes(ByteBuffer(string: "body"))
            var request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            request.headers = Self.headers
            request.headers[.connection] = "keep-alive"
            _ = try await transport.exchange(request)
            let head = try Self.head(observer)
            #expect(head.httpVersion == .http2)
            let text = String(decoding: head.bytes, as: UTF8.self)
            #expect(text.hasPrefix("POST /echo HTTP/2\r\nHost: \(origin.authority)\r\n"))
            #expect(head.headers.map(\.name.canonicalName) == ["host", "authorization", "accept", "content-length"])
        }
    }

    @Test func `its description holds no field`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: TransportObserverTests.configuration(observer)) { engine in
            var request = engine.request(.get, "/?token=hidden")
            request.headers = Self.headers
            _ = try await engine.send(request)
        }
        let head = try Self.head(observer)
        #expect(head.description == "GET over HTTP/1.1, 3 header fields")
        for event in observer.events {
            let text = "\(event) \(String(reflecting: event))"
            #expect(!text.contains("secret") && !text.contains("hidden"))
        }
    }
}
