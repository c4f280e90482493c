// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import Testing

@testable import Bluebonnet

/// Pins and policies against certificates that OpenSSL has made, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct OpenSSLChainTests {
    private static let chains = Result { try OpenSSLChains("make-chains") }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host = "localhost"
        /// The names of the certificates that the server sends.
        var sent: [String]
        var roots = ["root"]
        var pins: [String]
        /// Why it is refused; nil if it is not.
        var fault: CertificateFault?

        static let all: [Case] = [
            .init(testDescription: "leaf", sent: ["leaf", "middle"], pins: ["leaf", "backup"]),
            .init(testDescription: "intermediate", sent: ["leaf", "middle"], pins: ["middle", "backup"]),
            .init(testDescription: "root, which is not sent", sent: ["leaf", "middle"], pins: ["root", "backup"]),
            .init(testDescription: "backup in use", sent: ["backup", "middle"], pins: ["leaf", "backup"]),
            .init(
                testDescription: "a foreign key",
                sent: ["leaf", "middle"],
                pins: ["wildcard", "backup"],
                fault: .pinMismatch
            ),
            .init(
                testDescription: "the root that has cross-signed, and is not in the path",
                sent: ["leaf", "middle", "middle-other", "other"],
                pins: ["other", "backup"],
                fault: .pinMismatch
            ),
            .init(
                testDescription: "cross-signed, by way of the other root",
                sent: ["leaf", "middle-other"],
                roots: ["other"],
                pins: ["other", "backup"]
            ),
            .init(
                testDescription: "the key in the middle, by way of either root",
                sent: ["leaf", "middle-other"],
                roots: ["other"],
                pins: ["middle", "backup"]
            ),
            .init(testDescription: "expired", sent: ["expired", "middle"], pins: ["middle", "root"], fault: .expired),
            .init(
                testDescription: "wrong host",
                sent: ["wrong-host", "middle"],
                pins: ["middle", "root"],
                fault: .wrongHost
            ),
            .init(
                testDescription: "self-signed",
                sent: ["self-signed"],
                pins: ["middle", "root"],
                fault: .selfSigned
            ),
            .init(
                testDescription: "no intermediate",
                sent: ["leaf"],
                pins: ["leaf", "root"],
                fault: .unknownAuthority
            ),
            .init(
                testDescription: "wildcard",
                host: "a.example.test",
                sent: ["wildcard", "middle"],
                pins: ["wildcard", "backup"]
            ),
            .init(
                testDescription: "wildcard, one label too many",
                host: "a.b.example.test",
                sent: ["wildcard", "middle"],
                pins: ["wildcard", "backup"],
                fault: .wrongHost
            ),
            .init(
                testDescription: "address",
                host: "127.0.0.1",
                sent: ["address", "middle"],
                pins: ["middle", "backup"]
            ),
            .init(
                testDescription: "address, for a name",
                sent: ["address", "middle"],
                pins: ["middle", "backup"],
                fault: .wrongHost
            ),
        ]
    }

    @Test(arguments: Case.all) func `a chain of OpenSSL is accepted or refused by its pins`(_ test: Case) async throws {
        let chains = try Self.chains.get()
        var tls = TestServer.TLS()
        tls.identity = try chains.identity(test.sent)
        try await TrustClient.run(tls: tls, roots: test.roots.map { try chains.pem($0) }) { configuration, _ in
            configuration.pins = PublicKeyPins([PinSet(test.host, try test.pins.map { try chains.pin($0) })])
        } _: { client async throws in
            let request = try client.request(host: test.host)
            if let fault = test.fault {
                let error = try await client.expectRefusal(request)
                #expect(error?.code == .untrustedCertificate)
                #expect(error?.certificateFault == fault, "\(String(describing: error))")
                _ = client.server.takeFailures()
            } else {
                #expect(try await client.session.response(for: request).status == .ok)
            }
        }
    }

    /// Each of the nine could have signed every other one, which makes 986,409 paths to try.
    @Test func `authorities that have all signed each other are refused soon`() async throws {
        let chains = try Self.chains.get()
        let names = ["maze"] + (1...9).map { "maze-\($0)" }
        let sent = try names.map { try TLSOptions.Certificate.pem(chains.pem($0)).readDER()[0] }
        #expect(Set(sent).count == 10)
        let evaluator = try X509TrustEvaluator(anchors: [.pem(try chains.pem("root"))])
        let start = ContinuousClock.now
        let server = ServerTrust(host: "localhost", certificates: sent, isVerified: false)
        let refusal = await #expect(throws: TrustRefusal.self) { try await evaluator.evaluate(server) }
        #expect(refusal?.fault == .unknownAuthority)
        #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test func `the digest of a key is the one that OpenSSL computes`() throws {
        let chains = try Self.chains.get()
        for name in ["root", "middle", "leaf"] {
            let certificate = try TLSOptions.Certificate.pem(chains.pem(name)).readDER()[0]
            #expect(try PublicKeyPin(certificate: certificate) == chains.pin(name))
        }
    }
}
