// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Trailer fields in both directions, with servers that others have written.
@Suite(.timeLimit(.minutes(1)))
struct TrailersServersTests {
    @Test(arguments: [false, true]) func `trailers of nginx come behind the body`(isHTTP1: Bool) async throws {
        try await HTTP2ServersTests.run(.nginx, tls: true, versions: isHTTP1 ? .http1 : nil) {
            (transport: NIOTransport, origin: Origin, server: ExternalServer) async throws in
            try server.write(patternedData(count: 100_000), as: "file.bin")
            let request = TransportRequest(origin: origin, target: "/trailers/file.bin", responseMode: .streamed)
            for _ in 0..<2 {
                let response = try await transport.exchange(request)
                #expect(response.metrics.httpVersion == (isHTTP1 ? .http11 : .http2))
                #expect(try await response.body.collect(upTo: 1 << 20).readableBytes == 100_000)
                #expect(response.body.trailers?[.contentLanguage] == "en")
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    /// nginx ends a connection of HTTP/2 over the trailers of a request.
    @Test(arguments: [(.nginx, true), (.hypercorn, true), (.hypercorn, false)] as [(ExternalServer.Kind, Bool)])
    func `a body with trailers arrives whole, and its connection goes on`(
        _ kind: ExternalServer.Kind,
        isHTTP1: Bool
    ) async throws {
        try await HTTP2ServersTests.run(kind, tls: true, versions: isHTTP1 ? .http1 : nil) {
            (transport: NIOTransport, origin: Origin, _: ExternalServer) async throws in
            for size in [0, 1, 1_000_000] {
                let data = patternedData(count: size)
                let target = kind == .nginx ? "/upload/\(size)" : "/echo"
                var request = TransportRequest(method: .put, origin: origin, target: target)
                request.body = .bytes(ByteBuffer(bytes: data))
                request.trailers = { [.contentLanguage: "en"] }
                if kind == .nginx {
                    // nginx keeps it, and gives it back.
                    #expect(try await transport.exchange(request).status.code == 201)
                    request = TransportRequest(origin: origin, target: target)
                }
                #expect(try await HTTP2ServersTests.bytes(transport, request) == data)
            }
            // Hypercorn may close a connection of HTTP/1.1 behind a response.
            if kind == .nginx || !isHTTP1 { #expect(transport.statistics.opened == 1) }
        }
    }
}
