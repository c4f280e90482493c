// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Bodies of more bytes than one buffer holds, where the caller has set no smaller limit.
@Suite(.timeLimit(.minutes(1)), .bug(id: "F58")) struct LargestBodyTests {
    /// A body that says how long it is, and ends at once.
    private final class Source: ResponseBody.Source {
        func next() async throws -> ByteBuffer? { nil }
    }

    @Test(arguments: [Int64(1) << 32, 5 << 30, .max])
    func `is refused before it is collected`(_ length: Int64) async throws {
        let body = ResponseBody(source: Source(), expectedLength: length)
        let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: .max) }
        #expect(error?.code == .responseTooLarge)
        #expect(error?.reason.contains("4294967295 bytes") == true)
    }

    @Test func `may be as long as a buffer`() async throws {
        let body = ResponseBody(source: Source(), expectedLength: (1 << 32) - 1)
        #expect(try await body.collect(upTo: .max).readableBytes == 0)
    }

    @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found"])
    func `is refused by its length, before its first byte`(_ status: String) async throws {
        try await ScriptedPeer.run([.readHead, .send("\(status)\r\nContent-Length: 4294967296\r\n\r\n")]) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            try await NIOTransport.running(configuration) { transport in
                var request = TransportRequest(
                    origin: Origin(scheme: .http, host: "127.0.0.1", port: peer.port),
                    target: "/"
                )
                request.responseMode = .collected(upTo: .max)
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .responseTooLarge)
            }
        }
    }
}
