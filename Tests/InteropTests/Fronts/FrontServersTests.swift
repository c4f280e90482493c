// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Servers that stand before others, each with the same requests in every form that it speaks.
///
/// `make interop` runs all of them and writes what it saw into `Documentation/Interop.md`.
@Suite(
    .serialized,  // One server at a time: each has a process and ports of its own.
    .timeLimit(.minutes(1))
) struct FrontServersTests {
    @Test(arguments: Front.kinds) func `a server answers in every form that it speaks`(
        _ kind: ExternalServer.Kind
    ) async throws {
        try await ExternalServer.run(kind) { server in
            for front in Front.all(kind, server) {
                try await front.withTransport { try await Self.check(front, $0) }
                FrontTable.add(server: kind.frontName, version: server.version, form: front.form)
            }
        }
    }

    /// Small and large bodies in both directions, HEAD, statuses, many requests at once, and one connection for all that come after one another.
    private static func check(_ front: Front, _ transport: NIOTransport) async throws {
        func send(
            _ method: HTTPRequest.Method,
            _ target: String,
            _ body: TransportBody = .none
        ) async throws -> (TransportResponse, Data) {
            let request = TransportRequest(method: method, origin: front.origin, target: target, body: body)
            return try await front.send(transport, request)
        }
        for size in [1, 3_000_000] {
            let (response, bytes) = try await send(.get, "/bytes/\(size)")
            #expect(response.status == .ok)
            #expect(bytes.count == size)
            #expect(bytes.last == UInt8((size - 1) % 251))
            #expect(response.metrics.httpVersion == (front.isHTTP2 ? .http2 : .http11))
            #expect(response.metrics.tls?.version == front.tls)
        }
        let (head, nothing) = try await send(.head, "/bytes/3000000")
        #expect(head.status == .ok)
        #expect(head.headers[.contentLength] == "3000000")
        #expect(nothing.isEmpty)
        let missing = front.kind == .nghttpd ? "/missing" : "/status/404"
        #expect(try await send(.get, missing).0.status == .notFound)
        #expect(transport.statistics.opened == 1, "\(front.form)")

        let upload = patternedData(count: 2_000_000)
        let (stored, said) = try await send(.post, "/upload", .bytes(ByteBuffer(bytes: upload)))
        #expect(stored.status == .ok)
        #expect(front.hasReceived(upload, said))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await send(.get, "/bytes/1").1.count } }
            for try await count in group { #expect(count == 1) }
        }
        if front.isHTTP2 { #expect(transport.statistics.opened == 1) }
    }
}
