// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import NIOCore
import NIOSSL
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestServerTLSTests {
    /// What a client that verifies chain and name accepts, and no more than that.
    private static let accepted: [CertificateKind] = [
        .valid, .intermediate, .metPolicy, .commonNameOnly, .weakKey, .weakSignature,
    ]

    @Test(arguments: Self.accepted) func `serves a client that does not ask for more`(
        kind: CertificateKind
    ) async throws {
        try await TestServer.withServer(tls: .init(certificate: kind)) { server in
            try await RawConnection.with(server, root: server.certificateAuthority.pem) { connection in
                let response = try await connection.exchange("GET", "/status/200")
                #expect(response.status == 200)
            }
        }
    }

    @Test func `serves a client that trusts its root`() async throws {
        try await TestServer.withServer(tls: .init()) { server in
            #expect(server.url == "https://localhost:\(server.port)")
            try await RawConnection.with(server, root: server.certificateAuthority.pem) { connection in
                let response = try await connection.exchange("GET", "/bytes/300000")
                #expect(response.body == PatternBytes.bytes(300_000))
            }
            let counts = try await server.waitForConnections { $0.open == 0 }
            #expect(counts.handshakes == 1)
            #expect(counts.failedHandshakes == 0)
        }
    }

    @Test(arguments: CertificateKind.allCases.filter { !Self.accepted.contains($0) })
    func `is refused by a client when its certificate is wrong`(kind: CertificateKind) async throws {
        try await TestServer.withServer(tls: .init(certificate: kind)) { server in
            await #expect(throws: (any Error).self) {
                try await RawConnection.with(server, root: server.certificateAuthority.pem) { connection in
                    _ = try await connection.exchange("GET", "/")
                }
            }
            let counts = try await server.waitForConnections { $0.open == 0 && $0.failedHandshakes > 0 }
            #expect(counts.handshakes == 0)
            #expect(counts.requests == 0)
        }
    }

    @Test func `a certificate that signs itself is accepted by a client that trusts just that`() async throws {
        var tls = TestServer.TLS()
        let identity = try CertificateAuthority().makeIdentity(.selfSigned)
        tls.identity = identity
        try await TestServer.withServer(tls: tls) { server in
            try await RawConnection.with(server, root: identity.certificatePEM) { connection in
                let response = try await connection.exchange("GET", "/status/200")
                #expect(response.status == 200)
            }
        }
    }

    @Test func `a root of one's own replaces the shared one`() async throws {
        let authority = try CertificateAuthority(commonName: "Another Root")
        try await TestServer.withServer(tls: .init(authority: authority)) { server in
            #expect(server.certificateAuthority === authority)
            #expect(try CertificateAuthority.shared().pem != authority.pem)
            try await RawConnection.with(server, root: authority.pem) { connection in
                let response = try await connection.exchange("GET", "/status/200")
                #expect(response.status == 200)
            }
        }
    }

    @Test func `an orderly close comes with a notice, a drop comes without`() async throws {
        try await TestServer.withServer(tls: .init()) { server in
            for (effect, isClean) in [(SocketEffect.close(.afterBody(2)), true), (.drop(.afterBody(2)), false)] {
                server.enqueue(ScriptedResponse(body: "0123456789", effect: effect))
                try await RawConnection.with(server, root: server.certificateAuthority.pem) { connection in
                    try await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    let (text, error) = await connection.receiveToTheEnd()
                    #expect(text.hasSuffix("\r\n\r\n01"))
                    #expect((error == nil) == isClean, "\(effect)")
                }
            }
        }
    }

    @Test func `speaks the versions it is told to, and no others`() async throws {
        var tls = TestServer.TLS()
        tls.minimumVersion = .tls10
        tls.maximumVersion = .tls11
        try await TestServer.withServer(tls: tls) { server in
            await #expect(throws: (any Error).self) {
                try await RawConnection.with(server, root: server.certificateAuthority.pem, minimumVersion: .tlsv12) {
                    connection in
                    _ = try await connection.exchange("GET", "/")
                }
            }
            try await server.waitForConnections { $0.failedHandshakes == 1 }
        }
    }
}
