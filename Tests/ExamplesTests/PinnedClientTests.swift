// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Testing

@testable import pinned_client

/// `Examples/pinned-client` against a server whose authority is pinned, or is not.
@Suite(.timeLimit(.minutes(1))) struct PinnedClientTests {
    private static let other = PublicKeyPin.sha256([UInt8](repeating: 7, count: 32))

    private static func configuration(_ server: TestServer) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.tls.additionalRoots = [.pem(server.certificateAuthority.pem)]
        return configuration
    }

    private static func pin(_ server: TestServer) throws -> PublicKeyPin {
        let pem = String(decoding: server.certificateAuthority.pem, as: UTF8.self)
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return try PublicKeyPin(certificate: Array(#require(Data(base64Encoded: base64))))
    }

    @Test func `pinned-client gets a document from a server with a pinned key`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/plain"], body: "for you alone"))
            let pins = [try Self.pin(server), Self.other]
            let text = try await PinnedClient.document(
                "\(server.url)/",
                pins: pins,
                configuration: Self.configuration(server)
            )
            #expect(text == "for you alone")
        }
    }

    @Test func `pinned-client sends nothing to a server with other keys, and says which it has`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let pins = [Self.other, PublicKeyPin.sha256([UInt8](repeating: 8, count: 32))]
            let error = await #expect(throws: SessionError.self) {
                try await PinnedClient.document(
                    "\(server.url)/",
                    pins: pins,
                    configuration: Self.configuration(server)
                )
            }
            #expect(error?.certificateFault == .pinMismatch)
            let seen = error.map(PinnedClient.seen) ?? []
            let expected = try Self.pin(server).description
            #expect(seen.contains(expected))
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test func `pinned-client refuses plain http and text that is no pin`() async throws {
        try await TestServer.withServer { server in
            for pins in [[Self.other, Self.other], ["x", "y"].map { PublicKeyPin.sha256($0) }] {
                await #expect(throws: SessionError.self) { try await PinnedClient.document(server.url, pins: pins) }
            }
            #expect(server.totalConnections == 0)
        }
    }
}
