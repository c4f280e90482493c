// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Streams that end before their response is complete, on a connection that goes on.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ResetTests {
    /// INTERNAL_ERROR, REFUSED_STREAM, CANCEL and ENHANCE_YOUR_CALM.
    @Test(.bug(id: "F631"), arguments: [(UInt32(2), false), (7, true), (8, false), (0xB, false)])
    func `only a refused stream is repeated silently, also on a connection that has served others`(
        _ code: UInt32,
        _ isRepeated: Bool
    ) async throws {
        let behaviour = RawPeer.Behaviour { request in
            [.send(request.number == 1 ? Wire.reset(request.stream, code) : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let request = TransportRequest(method: .put, origin: origin, target: "/")
            #expect(try await transport.exchange(request).status == .ok)
            let second = await Result { try await transport.exchange(request) }
            if isRepeated {
                #expect(try second.get().status == .ok)
            } else {
                let error = #expect(throws: TransportError.self) { _ = try second.get() }
                #expect(error?.code == .connectionClosed)
                #expect(error?.isRequestSent == true)
            }
            #expect(peer.state.withLock { $0.requests } == (isRepeated ? 3 : 2))
            #expect(peer.state.withLock { $0.connections } == 1)
        }
    }

    /// A stream that ends before the body has its Content-Length: 3 bytes, of which some arrive.
    struct EarlyEnd: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var end: [UInt8]
        var uploads = false
    }

    static let earlyEnds: [EarlyEnd] = [
        EarlyEnd(testDescription: "in the body", end: Wire.data(1, [1, 2], isEnd: true)),
        EarlyEnd(testDescription: "before the body", end: Wire.data(1, [], isEnd: true)),
        EarlyEnd(testDescription: "with trailers", end: Wire.headers(1, [("a", "b")], isEnd: true)),
        EarlyEnd(testDescription: "during an upload", end: Wire.data(1, [1, 2], isEnd: true), uploads: true),
    ]

    @Test(.bug(id: "F844"), arguments: earlyEnds, [false, true])
    func `a body that is shorter than its length has broken off, as on HTTP1`(
        _ one: EarlyEnd,
        streamed: Bool
    ) async throws {
        let behaviour = RawPeer.Behaviour { request in
            let head = Wire.head(request.stream, [("content-length", "3")])
            return [.send(request.number == 0 ? head + one.end : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let body = one.uploads ? TransportBody.endless : .none
            var request = TransportRequest(method: .put, origin: origin, target: "/", body: body)
            if streamed { request.responseMode = .streamed }
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.exchange(request).body.collect(upTo: 100)
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.phase == .responseBody)
            #expect(error?.isRequestSent == true)
            // Where the request goes on, the server is told that its response was malformed.
            if one.uploads { try await peer.until { $0.frames.contains { $0.kind == 3 && $0.code == 1 } } }
            let other = TransportRequest(method: .put, origin: origin, target: "/")
            #expect(try await transport.exchange(other).status == .ok)
            #expect(peer.state.withLock { $0.connections } == 1)
        }
    }

    @Test(.bug(id: "F628"))
    func `small frames for an abandoned response do not end the other exchanges`() async throws {
        let count = 12_000
        let frames = Array(repeatElement(Wire.data(1, [UInt8](repeating: 0x78, count: 60)), count: count).joined())
        let behaviour = RawPeer.Behaviour { request in
            request.number == 0
                ? [.send(Wire.head(1) + Wire.data(1, [1]))] : [.send(frames + Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(method: .get, origin: origin, target: "/")
            request.responseMode = .streamed
            do {
                let response = try await transport.exchange(request)
                response.body.abandon()
            }
            try await peer.until { $0.frames.contains { $0.kind == 3 } }
            let other = TransportRequest(method: .post, origin: origin, target: "/")
            #expect(try await transport.exchange(other).status == .ok)
            #expect(peer.state.withLock { $0.connections } == 1)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
