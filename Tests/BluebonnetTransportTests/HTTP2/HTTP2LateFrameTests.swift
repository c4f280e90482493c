// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Frames on an HTTP/2 stream whose response has come whole, while its consumer is behind.
@Suite(.timeLimit(.minutes(1))) struct HTTP2LateFrameTests {
    /// More than a stream takes ahead of its consumer.
    static let byteCount = 1_600_000

    /// A whole response on stream 1.
    static let whole: [UInt8] = {
        let piece = [UInt8](repeating: 0x78, count: 16_000)
        let pieces = (1...Self.byteCount / 16_000).map { Wire.data(1, piece, isEnd: $0 == Self.byteCount / 16_000) }
        return Wire.head(1) + pieces.joined()
    }()

    /// The peer does not look at windows.
    static var engine: NIOTransport.Configuration {
        var engine = NIOTransport.Configuration()
        engine.http2.windowSize = 4 * 1024 * 1024
        return engine
    }

    static func streamed(_ origin: Origin, body: TransportBody = .none) -> TransportRequest {
        var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
        request.responseMode = .streamed
        return request
    }

    struct Late: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var frame: [UInt8]
    }

    static let late: [Late] = [
        Late(testDescription: "GOAWAY for everything", frame: Wire.goAway(0)),
        Late(testDescription: "GOAWAY for HTTP/1.1", frame: Wire.goAway(0, 0xD)),
        Late(testDescription: "a reset for HTTP/1.1", frame: Wire.reset(1, 0xD)),
        Late(testDescription: "a window opened by nothing", frame: Wire.windowUpdate(1, 0)),
        Late(testDescription: "a window opened too far", frame: Wire.windowUpdate(1, 0x7FFF_FFFF)),
        Late(testDescription: "data", frame: Wire.data(1, [1])),
        Late(testDescription: "a head", frame: Wire.head(1)),
        Late(testDescription: "trailers", frame: Wire.headers(1, [("a", "b")], isEnd: true)),
    ]

    @Test(.bug(id: "F294"), arguments: late)
    func `a response that has come whole is delivered, whatever frame follows it`(_ one: Late) async throws {
        let behaviour = RawPeer.Behaviour { _ in [.send(Self.whole + one.frame), .halfClose] }
        try await RawPeer.run(behaviour, engine: Self.engine) {
            (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let response = try await transport.exchange(Self.streamed(origin))
            // The consumer begins to read when the connection is gone.
            while transport.statistics.inFlight > 0 { await Task.yield() }
            #expect(try await response.body.collect(upTo: 1 << 21).readableBytes == Self.byteCount)
            #expect(response.body.trailers == nil)
        }
    }

    struct Closing: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var body: TransportBody
        var frames: [UInt8]
    }

    static let closings: [Closing] = [
        Closing(testDescription: "both sides have ended it", body: .none, frames: whole),
        Closing(testDescription: "the peer has reset it", body: .endless, frames: whole + Wire.reset(1, 8)),
    ]

    @Test(.bug(id: "F296"), arguments: closings)
    func `a stream that is closed is not reset`(_ one: Closing) async throws {
        let behaviour = RawPeer.Behaviour { request in
            [.send(request.number == 0 ? one.frames : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour, engine: Self.engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            do {
                let response = try await transport.exchange(Self.streamed(origin, body: one.body))
                // All that the peer has sent for the first stream has come with the response on the second one.
                #expect(try await transport.exchange(HTTP2EndTests.post(origin)).status == .ok)
                #expect(response.status == .ok)
            }
            // The response is dropped, which ends its exchange.
            while transport.statistics.inFlight > 0 { await Task.yield() }
            #expect(try await transport.exchange(HTTP2EndTests.post(origin)).status == .ok)
            #expect(peer.state.withLock { state in state.frames.count { $0.kind == 3 } } == 0)
            #expect(transport.statistics.opened == 1)
        }
    }
}
