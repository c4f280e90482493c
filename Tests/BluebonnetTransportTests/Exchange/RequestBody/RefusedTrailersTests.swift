// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// What the error of an exchange that fails for its trailer fields says about the rest of the request.
@Suite(.timeLimit(.minutes(1))) struct RefusedTrailersTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: TransportBody
        var isHeldBack = false
    }

    static let cases: [Case] = [
        Case(testDescription: "none", body: .none),
        Case(testDescription: "bytes", body: .bytes(ByteBuffer(string: "hello"))),
        Case(testDescription: "bytes behind a head", body: .bytes(ByteBuffer(string: "hello")), isHeldBack: true),
        Case(testDescription: "a reader", body: NIOTransportTests.reader(50_000)),
    ]

    private static func error(of one: Case, _ origin: Origin, _ transport: NIOTransport) async -> TransportError? {
        var request = TransportRequest(method: .put, origin: origin, target: "/", body: one.body)
        request.trailers = { [.contentType: "text/plain"] }
        if one.isHeldBack { request.continueTimeout = .seconds(60) }
        let outgoing = request
        return await #expect(throws: TransportError.self) { try await transport.exchange(outgoing) }
    }

    @Test(.bug(id: "F382"), arguments: cases)
    func `over HTTP1 the head has been sent`(_ one: Case) async throws {
        let steps: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 100 Continue\r\n\r\n")]
        try await ScriptedPeer.run(one.isHeldBack ? steps : []) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: peer.port)
            let error = await Self.error(of: one, origin, transport)
            #expect(error?.code == .invalidRequest)
            #expect(error?.isRequestSent == true)
            try await peer.waitUntilClosed()
            #expect(peer.received.map(\.isEmpty) == [false])
            await transport.shutdown()
        }
    }

    @Test(.bug(id: "F382"), arguments: cases)
    func `over HTTP2 the head has been sent`(_ one: Case) async throws {
        let behaviour = RawPeer.Behaviour { request in
            one.isHeldBack ? [.send(Wire.headers(request.stream, [(":status", "100")]))] : []
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let error = await Self.error(of: one, origin, transport)
            #expect(error?.code == .invalidRequest)
            #expect(error?.isRequestSent == true)
            // Behind the head comes the reset of the stream.
            try await peer.until { $0.requests == 1 && $0.frames.contains { $0.kind == 3 && $0.code == 8 } }
        }
    }
}
