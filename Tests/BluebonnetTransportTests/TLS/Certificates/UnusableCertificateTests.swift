// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import NIOSSL
import Testing

/// Certificates of servers that the TLS library refuses without naming one of the chain.
@Suite(.timeLimit(.minutes(1))) struct UnusableCertificateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The name of the fixture, whose certificate is its own root.
        var name: String
        var reason: String
        var testDescription: String { self.name }
    }

    @Test(
        .bug(id: "F534"),
        .bug(id: "F539"),
        arguments: [
            Case(name: "key-usage", reason: "its key usage does not include digitalSignature"),
            Case(name: "path-length", reason: "the TLS library cannot use one of its chain"),
        ]
    )
    func `a certificate that the TLS library cannot use is refused with its fault`(_ example: Case) async throws {
        let pem = try Self.fixture("\(example.name).pem")
        let chain = try NIOSSLCertificate.fromPEMBytes(pem).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(bytes: try Self.fixture("\(example.name).key"), format: .pem)
        let server = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        try await ScriptedPeer.run([], tls: try NIOSSLContext(configuration: server)) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = [.pem(pem)]
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .https, host: "localhost", port: peer.port)
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(origin: origin, target: "/"))
            }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.certificateFault == .brokenRule)
            #expect(error?.reason.contains(example.reason) == true, "\(error?.reason ?? "")")
            await transport.shutdown()
        }
    }

    private static func fixture(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: try ClientIdentityTests.fixture(name))))
    }
}
