// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Crypto
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Digests of contents that follow them, each with its own message.
@Suite(.timeLimit(.minutes(1))) struct ContentDigestTrailerTests {
    private static func field(of bytes: Data) -> String {
        "sha-256=:\(Data(SHA256.hash(data: bytes)).base64EncodedString()):"
    }

    @Test(.bug(id: "F440")) func `concurrent sends of one request have their own digest trailers`() async throws {
        // Each exchange reads its body before either of them asks for its trailer fields.
        let latches = [Latch(), Latch()]
        let count = Mutex(0)
        let transport = StubTransport { request in
            let body = Data(try await request.body.bytes().readableBytesView)
            let index = count.withLock { count in
                defer { count += 1 }
                return count
            }
            latches[index].open()
            await latches[1 - index].wait()
            let field = request.trailers?()[.contentDigest]
            return .text(field == Self.field(of: body) ? "right" : "wrong")
        }
        let length = Mutex(0)
        let body = RequestBody.stream(length: nil) {
            let length = length.withLock { length in
                length += 1_000
                return length
            }
            return try RequestBody.data(Data(PatternBytes.bytes(length))).makeReader()
        }
        let request = Request(method: .put, url: try Peer.url("http://h/"), body: body).addingContentDigestTrailer()
        let session = Session(transport: transport)
        async let first = session.response(for: request)
        async let second = session.response(for: request)
        let bodies = try await [first.body, second.body]
        #expect(bodies == [Data("right".utf8), Data("right".utf8)])
    }

    @Test(.bug(id: "F440")) func `the reader of an abandoned attempt adds nothing to the digest`() throws {
        let digest = SentContentDigest(.sha256)
        let body = digest.observing(.data(Data("content".utf8)))
        var (abandoned, current) = (try body.makeReader(), try body.makeReader())
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(try buffer.withUnsafeMutableBytes { try current.read(into: $0) } == 7)
        #expect(try buffer.withUnsafeMutableBytes { try abandoned.read(into: $0) } == 7)
        #expect(digest.field == Self.field(of: Data("content".utf8)))
    }

    @Test(.bug(id: "F440"), arguments: [false, true])
    func `a digest is that of the bytes which are sent, whether or not the body is compressed later`(
        _ isCompressed: Bool
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse())
            let session = Session(transport: try server.makeTransport())
            let url = try Peer.url("\(server.url)/a")
            var request = Request(method: .post, url: url, body: .data(Data(PatternBytes.bytes(10_000))))
                .addingContentDigestTrailer()
            if isCompressed { request = request.compressingBody() }
            _ = try await session.response(for: request)
            await session.transport.shutdown()
            let recorded = try await server.takeRequest()
            #expect(recorded.body.isEmpty == false)
            #expect(recorded.trailers[.contentDigest] == Self.field(of: Data(recorded.body)))
        }
    }

    @Test(.bug(id: "F440")) func `an empty body has the digest of nothing, and a body that is dropped has none`()
        async throws
    {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .seeOther, headers: [.location: "/b"]))
            server.enqueue(ScriptedResponse())
            let session = Session(transport: try server.makeTransport())
            let request = Request(method: .post, url: try Peer.url("\(server.url)/a"), body: .data(Data()))
                .addingContentDigestTrailer()
            _ = try await session.response(for: request)
            await session.transport.shutdown()
            let (first, second) = (try await server.takeRequest(), try await server.takeRequest())
            #expect(first.trailers[.contentDigest] == Self.field(of: Data()))
            #expect(second.method == .get)
            #expect(second.trailers.isEmpty)
            #expect(second.headers[.trailer] == nil)
            #expect(second.headers[.transferEncoding] == nil)
        }
    }
}
