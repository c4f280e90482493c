// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// What is told and measured of a request whose response is complete before its body is.
@Suite(.timeLimit(.minutes(1))) struct EarlyResponseEventTests {
    /// Gives ten bytes, and the next ones an hour later.
    private struct SlowReader: TransportBodyReader {
        let delayBeforeNextRead = Duration.seconds(3_600)

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(10))
            piece.initializeMemory(as: UInt8.self, repeating: 0x78)
            return piece.count
        }
    }

    private static let verdict = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"

    private static func byteCounts(_ observer: RecordingObserver) -> [Int64] {
        observer.events.compactMap { if case .requestBodyEnded(let byteCount) = $0 { byteCount } else { nil } }
    }

    @Test(.bug(id: "F353"), arguments: [ExchangeMetrics.HTTPVersion.http11, .http2])
    func `an early response ends the group of the request's body, and its times have a phase`(
        _ version: ExchangeMetrics.HTTPVersion
    ) async throws {
        let observer = RecordingObserver()
        var configuration = TransportObserverTests.configuration(observer)
        configuration.proxy = .direct
        let check = { @Sendable (transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.reader(length: 100, isReplayable: false) { SlowReader() }
            let request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            let metrics = try await transport.exchange(request).metrics
            #expect(metrics.httpVersion == version)
            #expect(metrics.requestBodyByteCount == 10)
            for phase in [ExchangePhase.requestBody, .responseHead, .responseBody] {
                #expect(metrics.duration(of: phase) != nil, "\(phase)")
            }
        }
        if version == .http2 {
            let behaviour = RawPeer.Behaviour { request in
                let head = Wire.headers(request.stream, [(":status", "413")])
                return [.afterBody(10), .send(head + Wire.data(request.stream, [0x6E, 0x6F], isEnd: true))]
            }
            try await RawPeer.run(behaviour, engine: configuration) { try await check($1, $2) }
        } else {
            try await ScriptedPeer.run([.readHead, .read(10), .send(Self.verdict)]) { peer in
                let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
                try await NIOTransport.running(configuration) { try await check($0, origin) }
            }
        }
        let middle = ["requestBodyStarted", "responseHeadStarted", "responseHeadEnded", "responseBodyStarted"]
        let last = ["requestBodyEnded", "responseBodyEnded", "connectionReleased", "ended"]
        #expect(
            observer.names == [
                ["started"] + TransportObserverTests.connect + TransportObserverTests.request + middle + last
            ]
        )
        #expect(Self.byteCounts(observer) == [10])
    }

    @Test(.bug(id: "F353")) func `bytes that never left an HTTP1 connection do not count as sent`() async throws {
        let observer = RecordingObserver()
        var configuration = TransportObserverTests.configuration(observer)
        configuration.httpVersions = .http1
        let size = 16_000_000
        let behaviour = RawPeer.Behaviour(
            receiveBufferSize: 4096,
            http1: [.stopReading, .send(Array(Self.verdict.utf8))]
        ) { _ in [] }
        try await RawPeer.run(behaviour, engine: configuration, tls: true) { _, transport, origin in
            let body = TransportBody.bytes(ByteBuffer(repeating: 0x78, count: size))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            // A body of one chunk: the peer does not wait for its end.
            request.trailers = { HTTPFields() }
            let metrics = try await transport.exchange(request).metrics
            #expect(metrics.requestBodyByteCount < size)
            #expect(metrics.requestByteCount < size)
            #expect(Self.byteCounts(observer) == [metrics.requestBodyByteCount])
        }
    }

    @Test(.bug(id: "F787")) func `bytes that never left an HTTP1 connection do not count if the response is cut`()
        async throws
    {
        var configuration = NIOTransport.Configuration()
        configuration.httpVersions = .http1
        let size = 16_000_000
        let response = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"
        let behaviour = RawPeer.Behaviour(
            receiveBufferSize: 4096,
            http1: [.stopReading, .send(Array(response.utf8))]
        ) { _ in [] }
        try await RawPeer.run(behaviour, engine: configuration, tls: true) { _, transport, origin in
            let body = TransportBody.bytes(ByteBuffer(repeating: 0x78, count: size))
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            // The peer does not wait for a body that is held back.
            request.continueTimeout = .seconds(60)
            request.responseMode = .streamed
            request.timeouts.responseBody = .milliseconds(100)
            let response = try await transport.exchange(request).body
            let error = await #expect(throws: TransportError.self) { try await response.collect(upTo: 100) }
            #expect(error?.code == .timedOut)
            let metrics = try #require(response.metrics)
            #expect(metrics.requestBodyByteCount < size)
            #expect(metrics.requestByteCount < size)
        }
    }

    @Test(.bug(id: "F353")) func `a body that was held back and refused has no group`() async throws {
        let observer = RecordingObserver()
        try await Engine.run(engine: TransportObserverTests.configuration(observer)) { engine in
            var refusal = ScriptedResponse(status: 413, body: "no")
            refusal.isEarly = true
            engine.server.enqueue(refusal)
            var request = engine.request(.put, "/", body: NIOTransportTests.reader(100_000))
            request.continueTimeout = .seconds(60)
            let metrics = try await engine.send(request).response.metrics
            #expect(metrics.requestBodyByteCount == 0)
            #expect(metrics.duration(of: .responseHead) != nil)
            _ = engine.server.takeFailures()
        }
        #expect(!observer.names.joined().contains { $0.utf8.starts(with: "requestBody".utf8) })
    }
}
