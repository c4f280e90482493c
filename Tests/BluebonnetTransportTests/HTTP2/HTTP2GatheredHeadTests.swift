// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// The head of a request that has been encoded and not been written when its connection ends.
@Suite(.timeLimit(.minutes(1))) struct HTTP2GatheredHeadTests {
    @Test func `a request that starts in the turn in which the connection breaks is not sent, and its error says so`()
        async throws
    {
        // In one segment: the end of a response, which makes room for the next request, and a ping that may not be on a stream.
        let ticker = Ticker()
        let fault = Wire.response(1) + Wire.frame(6, stream: 1, [UInt8](repeating: 0, count: 8))
        let behaviour = RawPeer.Behaviour(greeting: [.send(Wire.settings([(3, 1)]))]) { request in
            request.number == 0 ? [.onTick(ticker, [fault])] : [.send(Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let post = TransportRequest(method: .post, origin: origin, target: "/")
            let first = Task { try await transport.exchange(post) }
            // The engine knows that there may be one stream when it has confirmed the settings.
            try await peer.until { $0.requests == 1 && $0.frames.contains { $0.kind == 4 && $0.flags == 1 } }
            let second = Task { try await transport.exchange(post) }
            while transport.statistics.waiting < 1 { await Task.yield() }
            try await ticker.waitForPeer()
            await ticker.tick()
            #expect(try await first.value.status == .ok)
            let error = await #expect(throws: TransportError.self) { try await second.value }
            #expect(error?.code == .protocolViolation)
            #expect(error?.isRequestSent == false)
            try await peer.until { $0.open == 0 }
            let state = peer.state.withLock { $0 }
            #expect(state.requests == 1, "the head of the second request has not arrived")
            #expect(state.frames.last?.kind == 7, "the server is told why the connection ends")
            #expect(try await transport.exchange(post).status == .ok)
        }
    }
}
