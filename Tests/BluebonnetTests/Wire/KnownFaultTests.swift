// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Faults that other clients have, and that no suite of a single subject holds; `Documentation/KnownFaults.md` lists all of them.
@Suite(.timeLimit(.minutes(1))) struct KnownFaultTests {
    private func withSession(_ body: (Session, TestServer) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            let session = Session(transport: try server.makeTransport())
            try await body(session, server)
            await session.transport.shutdown()
        }
    }

    /// A length that the caller gives, with a body of another kind: one framing goes out, and it is that of the body.
    @Test(arguments: [Int64(4), nil]) func `a body has one framing, whatever length the caller gives`(
        _ length: Int64?
    ) async throws {
        try await self.withSession { session, server in
            var request = Request(method: .post, url: try Peer.url("\(server.url)/echo"))
            request.headers[.contentLength] = "1000"
            request.body = .stream(length: length, isReplayable: true) {
                try RequestBody.data(Data("body".utf8)).makeReader()
            }
            _ = try await session.response(for: request)
            let received = try await server.takeRequest()
            let codings = received.headers[values: .transferEncoding]
            #expect(received.headers[values: .contentLength] == (length == nil ? [] : ["4"]))
            #expect(codings == (length == nil ? ["chunked"] : []))
            #expect(received.body.elementsEqual("body".utf8))
        }
    }

    @Test(arguments: [
        "Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "Digest realm=\"r\", algorithm=XYZ",
        "Negotiate", "NTLM", "Unheard-Of a=b", "\"", "",
    ])
    func `a 401 is delivered at once where nobody has a credential`(_ challenge: String) async throws {
        try await self.withSession { session, server in
            server.enqueue(
                ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: challenge], body: "refused")
            )
            let response = try await session.response(for: Request(url: try Peer.url("\(server.url)/secret")))
            #expect(response.status == .unauthorized)
            #expect(response.body.elementsEqual("refused".utf8))
            #expect(try await server.takeRequest().headers[.authorization] == nil)
            // The connection serves the next request.
            #expect(try await session.response(for: Request(url: try Peer.url("\(server.url)/echo"))).status == .ok)
            #expect(server.totalConnections == 1)
        }
    }
}
