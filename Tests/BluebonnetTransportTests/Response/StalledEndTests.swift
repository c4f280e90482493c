// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// What has come for a consumer that is behind is its own, however the connection or the stream ends meanwhile.
///
/// Serialized, because one test measures the memory of the whole process.
@Suite(.timeLimit(.minutes(2)), .serialized) struct StalledEndTests {
    /// Bytes that do not become fewer: more than a stream takes ahead of its consumer.
    private static let noise: [UInt8] = {
        var state: UInt32 = 1
        return (0..<(64 * 1024)).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }()

    struct Content: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// As it is sent, where that differs.
        var encoded: [UInt8]?

        var sent: [UInt8] { self.encoded ?? self.bytes }
    }

    /// Members of gzip, one behind the other.
    private static func gzip(noise: Int = 0, zeros: Int) -> Content {
        let nothing = [UInt8](repeating: 0, count: 1 << 20)
        return Content(
            testDescription: "\(noise) × 64 KiB of noise and \(zeros) MiB of zeros in gzip",
            bytes: Self.repeated(Self.noise, noise) + Self.repeated(nothing, zeros),
            encoded: Self.repeated(Compression.gzip(Self.noise), noise)
                + Self.repeated(Compression.gzip(nothing), zeros)
        )
    }

    private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    static let contents: [Content] = [
        Content(testDescription: "1 MiB", bytes: Self.repeated(Self.noise, 16)),
        Content(testDescription: "1.5 MiB", bytes: Self.repeated(Self.noise, 24)),
        Self.gzip(noise: 20, zeros: 4),
    ]

    /// Waits until the engine knows of the end, and reads then.
    private static func read(
        _ response: TransportResponse,
        _ transport: NIOTransport,
        isOver: (NIOTransport.Statistics) -> Bool
    ) async -> (bytes: [UInt8], error: TransportError?) {
        while !isOver(transport.statistics) { await Task.yield() }
        var bytes = [UInt8]()
        do {
            for try await piece in response.body { bytes.append(contentsOf: piece.readableBytesView) }
            return (bytes, nil)
        } catch {
            return (bytes, error as? TransportError)
        }
    }

    private static func streamed(_ origin: Origin) -> TransportRequest {
        var request = TransportRequest(origin: origin, target: "/")
        request.responseMode = .streamed
        request.decodesContent = true
        return request
    }

    // MARK: HTTP/2

    /// The peer reads on: a socket that is closed with unread bytes is reset by the system, which throws away what is on its way.
    enum HTTP2Ending: CaseIterable, Sendable {
        case half, goAway, resetStream

        var steps: [RawPeer.Step] {
            switch self {
            case .goAway: [.send(Wire.goAway(1)), .halfClose]
            case .half: [.halfClose]
            case .resetStream: [.send(Wire.reset(1, 8))]
            }
        }
    }

    @Test(.bug(id: "F54"), arguments: contents, [false, true])
    func `an HTTP 2 response is whole, or cut where its peer has cut it`(_ content: Content, tls: Bool) async throws {
        for ending in HTTP2Ending.allCases {
            for isWhole in [true, false] {
                var frames = Wire.head(1, content.encoded == nil ? [] : [("content-encoding", "gzip")])
                for start in stride(from: 0, to: content.sent.count, by: 16_000) {
                    let end = min(start + 16_000, content.sent.count)
                    let isEnd = isWhole && end == content.sent.count
                    frames += Wire.data(1, Array(content.sent[start..<end]), isEnd: isEnd)
                }
                let behaviour = RawPeer.Behaviour { [frames] _ in [.send(frames)] + ending.steps }
                var engine = NIOTransport.Configuration()
                // The peer does not look at windows.
                engine.http2.windowSize = 4 * 1024 * 1024
                try await RawPeer.run(behaviour, engine: engine, tls: tls) {
                    (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
                    let response = try await transport.exchange(Self.streamed(origin))
                    let (bytes, error) = await Self.read(response, transport) { $0.inFlight == 0 }
                    // Compared here: a failure would print every byte.
                    let isSame = bytes == content.bytes
                    #expect(isSame, "\(bytes.count) of \(content.bytes.count), \(ending), \(isWhole)")
                    #expect(error?.code == (isWhole ? nil : .connectionClosed), "\(ending)")
                    #expect(error?.phase == (isWhole ? nil : .responseBody), "\(ending)")
                    let metrics = response.body.metrics
                    #expect(metrics?.decodedBodyByteCount == Int64(content.bytes.count), "\(ending)")
                    #expect(metrics?.responseBodyByteCount == Int64(content.sent.count), "\(ending)")
                }
            }
        }
    }

    // MARK: HTTP/1.1

    enum HTTP1Framing: String, CaseIterable, Sendable {
        case length, chunked, close

        func message(_ content: Content, isWhole: Bool) -> [UInt8] {
            let coding = content.encoded == nil ? "" : "Content-Encoding: gzip\r\n"
            let sent = isWhole ? content.sent : content.sent.dropLast(10)
            let start = Array("HTTP/1.1 200 OK\r\n\(coding)".utf8)
            return switch self {
            case .length: start + Array("Content-Length: \(content.sent.count)\r\n\r\n".utf8) + sent
            case .close: start + Array("Connection: close\r\n\r\n".utf8) + sent
            case .chunked:
                start + Array("Transfer-Encoding: chunked\r\n\r\n\(String(content.sent.count, radix: 16))\r\n".utf8)
                    + sent + (isWhole ? Array("\r\n0\r\n\r\n".utf8) : [])
            }
        }
    }

    /// 53 KB that become 8 MiB: they have room in the system, so that the end of the connection is behind them and not held up.
    private static let expanding = Self.gzip(zeros: 8)

    @Test(.bug(id: "F54"), arguments: HTTP1Framing.allCases)
    func `an HTTP 1 1 response is whole, or cut where its peer has cut it`(_ framing: HTTP1Framing) async throws {
        let content = Self.expanding
        for isWhole in [true, false] {
            let steps: [ScriptedPeer.Step] = [
                .readHead, .send(framing.message(content, isWhole: isWhole)), .closeOutput,
            ]
            try await ScriptedPeer.run(steps) { peer in
                var configuration = NIOTransport.Configuration()
                configuration.proxy = .direct
                try await NIOTransport.running(configuration) { transport in
                    let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
                    let response = try await transport.exchange(Self.streamed(origin))
                    let (bytes, error) = await Self.read(response, transport) { $0.open == 0 }
                    let isStart = content.bytes.starts(with: bytes)
                    #expect(isStart)
                    if isWhole {
                        #expect(bytes.count == content.bytes.count && error == nil, "\(bytes.count)")
                    } else {
                        // The last ten bytes are a checksum, a length and the end of the data.
                        #expect(bytes.count > content.bytes.count - (1 << 10))
                        #expect(error?.code == (framing == .close ? .decompressionFailed : .connectionClosed))
                        #expect(error?.phase == .responseBody)
                    }
                    #expect(response.body.metrics?.decodedBodyByteCount == Int64(bytes.count))
                }
            }
        }
    }

    @Test(.bug(id: "F54")) func `what a consumer that is behind has of a compressed body stays compressed`()
        async throws
    {
        let content = Self.expanding
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send(HTTP1Framing.length.message(content, isWhole: true)), .closeOutput,
        ]
        try await ScriptedPeer.run(steps) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            try await NIOTransport.running(configuration) { transport in
                let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
                // What the process keeps for later anyway is there before it is measured; a body would leave memory to be used again.
                let answer: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 204 No Content\r\n\r\n"), .closeOutput]
                try await ScriptedPeer.run(answer) { other in
                    let origin = Origin(scheme: .http, host: "127.0.0.1", port: other.port)
                    _ = try await transport.exchange(Self.streamed(origin))
                }
                while transport.statistics.open > 0 { await Task.yield() }
                let before = ResidentMemory.byteCount()
                var responses = [TransportResponse]()
                for _ in 0..<6 {
                    responses.append(try await transport.exchange(Self.streamed(origin)))
                    while transport.statistics.open > 0 { await Task.yield() }
                }
                let growth = ResidentMemory.byteCount() - before
                #expect(growth / responses.count < 4 << 20, "\(growth >> 10) KiB for \(responses.count)")
                for response in responses {
                    var byteCount = 0
                    for try await piece in response.body { byteCount += piece.readableBytes }
                    #expect(byteCount == content.bytes.count)
                }
            }
        }
    }
}
