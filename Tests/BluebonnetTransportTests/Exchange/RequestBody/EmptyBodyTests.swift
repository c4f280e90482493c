// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Bodies without a byte.
@Suite(.timeLimit(.minutes(1))) struct EmptyBodyTests {
    /// A reader that would bring more than was declared.
    private struct Surplus: TransportBodyReader {
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 5 }
    }

    @Test(.bug(id: "F630"), arguments: [false, true])
    func `a body that declares no bytes is sent without making its reader`(isHTTP2: Bool) async throws {
        let made = Mutex(0)
        let answer = [UInt8]("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        var behaviour = RawPeer.Behaviour { [.send(Wire.response($0.stream))] }
        behaviour.http1 = [.send(answer)]
        var engine = NIOTransport.Configuration()
        engine.httpVersions = isHTTP2 ? .http2 : .http1
        try await RawPeer.run(behaviour, engine: engine, tls: true) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            var request = TransportRequest(method: .put, origin: origin, target: "/")
            request.body = .reader(length: 0, isReplayable: true) {
                made.withLock { $0 += 1 }
                return Surplus()
            }
            let response = try await transport.exchange(request)
            #expect(response.metrics.httpVersion == (isHTTP2 ? .http2 : .http11))
            #expect(made.withLock { $0 } == 0)
            if !isHTTP2 {
                let text = peer.state.withLock { $0.http1.values.joined() }
                #expect(text.contains("Content-Length: 0\r\n"))
            }
        }
    }
}
