// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// What a server receives that is not trusted: the peer here keeps every byte that comes out of TLS, and none may come, whatever the
/// protocol is that was agreed on.
@Suite(.timeLimit(.minutes(1))) struct UntrustedServerTests {
    private static func check(
        _ kind: CertificateKind,
        protocols: [String],
        trust: (any TrustEvaluator)?,
        fault: CertificateFault?,
        reason: String
    ) async throws {
        let authority = try CertificateAuthority.shared()
        let context = try ScriptedPeer.context(kind, authority: authority, protocols: protocols)
        try await ScriptedPeer.run([], tls: context) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            configuration.tls.trust = trust
            let transport = NIOTransport(configuration: configuration)
            var request = TransportRequest(
                method: .post,
                origin: Origin(scheme: .https, host: "localhost", port: peer.port),
                target: "/secret",
                body: .bytes(ByteBuffer(string: "secret"))
            )
            request.headers[.authorization] = "Bearer secret"
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.isRequestSent == false)
            #expect(error?.certificateFault == fault)
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
            try await peer.waitUntilClosed()
            #expect(peer.received == [[]], "not one byte")
            #expect(transport.statistics.open == 0)
            await transport.shutdown()
        }
    }

    @Test(arguments: TLSTests.Refusal.all.filter { $0.host == "localhost" }, [["h2"], ["http/1.1"]])
    func `does not get one byte if its certificate is not right`(
        _ refusal: TLSTests.Refusal,
        protocols: [String]
    ) async throws {
        try await Self.check(
            refusal.kind,
            protocols: protocols,
            trust: nil,
            fault: refusal.fault,
            reason: refusal.reason
        )
    }

    @Test(arguments: [TrustMode.additional, .replacing], [["h2"], ["http/1.1"]])
    func `does not get one byte if its chain does not match the pins`(
        _ mode: TrustMode,
        protocols: [String]
    ) async throws {
        let pins = TestEvaluator(mode) { _ in throw TrustRefusal("the pins do not match") }
        try await Self.check(.valid, protocols: protocols, trust: pins, fault: nil, reason: "the pins do not match")
        #expect(pins.servers.count == 1)
    }

    @Test(arguments: [["h2"], ["http/1.1"]])
    func `does not get one byte if no path leads to the anchors`(protocols: [String]) async throws {
        let trust = try X509TrustEvaluator(anchors: [.pem(try CertificateAuthority().pem)])
        // The stranger bears the same name as the authority that signed.
        try await Self.check(.valid, protocols: protocols, trust: trust, fault: .unknownAuthority, reason: "")
    }
}
