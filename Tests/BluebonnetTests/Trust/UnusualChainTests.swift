// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Testing

@testable import Bluebonnet

/// Chains that few authorities issue, against the engine, an evaluator with its own roots and a policy that pins.
@Suite(.timeLimit(.minutes(1))) struct UnusualChainTests {
    private static let chains = Result { try OpenSSLChains("make-unusual-chains") }

    private static func der(_ names: [String]) throws -> [[UInt8]] {
        let chains = try Self.chains.get()
        return try names.map { try TLSOptions.Certificate.pem(chains.pem($0)).readDER()[0] }
    }

    /// The session's response from a server with these certificates.
    private static func connect(to sent: [String], roots: [String] = ["root"], fault: CertificateFault?) async throws {
        let chains = try Self.chains.get()
        var tls = TestServer.TLS()
        tls.identity = try chains.identity(sent)
        try await TrustClient.run(tls: tls, roots: roots.map { try chains.pem($0) }) { client async throws in
            if let fault {
                let error = try await client.expectRefusal()
                #expect(error?.certificateFault == fault, "\(String(describing: error))")
                _ = client.server.takeFailures()
            } else {
                #expect(try await client.session.response(for: client.request()).status == .ok)
            }
        }
    }

    @Test(
        .bug(id: "F542"),
        arguments: [
            (["root", "root-expired"], nil), (["root-expired", "root"], nil), (["root-expired"], .expired),
        ] as [([String], CertificateFault?)]
    )
    func `a root that has expired does not hide its renewed certificate`(
        _ roots: [String],
        _ fault: CertificateFault?
    ) async throws {
        try await Self.connect(to: ["leaf"], roots: roots, fault: fault)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var sent: [String]
        /// The fault that the engine finds; nil if the server is trusted.
        var engine: CertificateFault?
        /// The fault that an `X509TrustEvaluator` finds.
        var evaluator: CertificateFault?
        /// Part of its reason.
        var reason = ""

        var testDescription: String { self.sent[0] }

        static let all: [Case] = [
            .init(sent: ["policies", "policies-middle"]),
            .init(
                sent: ["unknown"],
                engine: .unknownAuthority,
                evaluator: .brokenRule,
                reason: "the server's certificate has a critical extension that is not supported (1.2.3.4.5)"
            ),
            .init(
                sent: ["below-unknown", "unknown-middle"],
                engine: .unknownAuthority,
                evaluator: .brokenRule,
                reason: "chain has a critical extension that is not supported (1.2.3.4.5)"
            ),
            .init(sent: ["pss"], evaluator: .unreadable, reason: "chain is signed with RSASSA-PSS"),
            .init(sent: ["md5"], engine: .weakSignature, evaluator: .weakSignature, reason: "MD5"),
            .init(sent: ["deep"] + (1...9).reversed().map { "deep-\($0)" }),
        ]
    }

    @Test(.bug(id: "F545"), arguments: Case.all) func `the engine accepts it, or names its fault`(
        _ test: Case
    ) async throws {
        try await Self.connect(to: test.sent, fault: test.engine)
    }

    @Test(.bug(id: "F543"), .bug(id: "F546"), arguments: Case.all)
    func `an evaluator with the root accepts it, or names its fault`(_ test: Case) async throws {
        let evaluator = try X509TrustEvaluator(anchors: [.pem(try Self.chains.get().pem("root"))])
        let server = ServerTrust(host: "localhost", certificates: try Self.der(test.sent), isVerified: false)
        var refusal: TrustRefusal?
        do { try await evaluator.evaluate(server) } catch { refusal = try #require(error as? TrustRefusal) }
        #expect(refusal?.fault == test.evaluator, "\(refusal?.reason ?? "")")
        #expect(refusal?.reason.contains(test.reason) ?? test.reason.isEmpty, "\(refusal?.reason ?? "")")
    }

    @Test(.bug(id: "F543"), .bug(id: "F544"), arguments: Case.all)
    func `a policy that pins the root finds the same in the verified path`(_ test: Case) async throws {
        let policy = SecurityPolicy(.certificate, pinnedCertificates: Set(try Self.der(["root"])))
        let path = ServerTrust(host: "localhost", certificates: try Self.der(test.sent + ["root"]), isVerified: true)
        switch await policy.evaluate(path) {
        case .success(let path):
            #expect(test.evaluator == nil)
            #expect(path.count == test.sent.count + 1)
        case .failure(let refusal): #expect(refusal.fault == test.evaluator, "\(refusal)")
        }
    }

    @Test(.bug(id: "F543")) func `a pinned certificate with an unsupported extension is not a mismatch of pins`()
        async throws
    {
        let pinned = try Self.der(["unknown"])
        var policy = SecurityPolicy(.publicKey, pinnedCertificates: Set(pinned))
        policy.allowsInvalidCertificates = true
        policy.insecureHosts = ["localhost"]
        let server = ServerTrust(host: "localhost", certificates: pinned, isVerified: false)
        let refusal = await #expect(throws: TrustRefusal.self) { _ = try await policy.evaluate(server).get() }
        #expect(refusal?.fault == .brokenRule)
    }
}
