// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import Logging
import Testing

@testable import Bluebonnet

/// Every state of a `SecurityPolicy` against every kind of certificate, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct SecurityPolicyTableTests {
    struct Table: Decodable, Sendable {
        var kinds: [CertificateKind]
        var rows: [Row]

        static func load() throws -> Table {
            let url = try #require(
                Bundle.module.url(forResource: "security-policy", withExtension: "json", subdirectory: "Fixtures/Trust")
            )
            return try JSONDecoder().decode(Table.self, from: Data(contentsOf: url))
        }
    }

    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        enum Pins: String, Decodable { case none, foreign, leaf, root }

        var mode: SecurityPolicy.PinningMode
        var allowsInvalid: Bool
        var validatesDomain: Bool
        var pins: Pins
        var checks: Set<TrustPlan.Check>?
        var accepts: Set<CertificateKind>

        var testDescription: String {
            "\(self.mode), invalid \(self.allowsInvalid), domain \(self.validatesDomain), pins \(self.pins)"
        }

        func policy(_ leaf: [UInt8], root: [UInt8], foreign: [UInt8], host: String = "localhost") -> SecurityPolicy {
            var policy = SecurityPolicy(self.mode)
            policy.allowsInvalidCertificates = self.allowsInvalid
            policy.validatesDomainName = self.validatesDomain
            if self.allowsInvalid || !self.validatesDomain { policy.insecureHosts = [host] }
            policy.logger.logLevel = .critical
            policy.pinnedCertificates =
                switch self.pins {
                case .none: []
                case .foreign: [foreign]
                case .leaf: [leaf]
                case .root: [root]
                }
            return policy
        }
    }

    @Test func `the table has every state once`() throws {
        let rows = try Table.load().rows
        let states = rows.map { "\($0.mode) \($0.allowsInvalid) \($0.validatesDomain) \($0.pins)" }
        #expect(Set(states).count == rows.count)
        #expect(rows.count == 4 + 2 * 4 * 4)
    }

    @Test(arguments: try Table.load().rows)
    func `1.5 a state of the policy has the plan of the table`(_ row: Row) throws {
        let plan = TrustPlan(
            mode: row.mode,
            allowsInvalid: row.allowsInvalid,
            validatesDomain: row.validatesDomain,
            hasPins: row.pins != .none
        )
        #expect((plan.refusal == nil ? plan.checks : nil) == row.checks)
        #expect(plan.isInsecure == (row.checks.map { !$0.isSuperset(of: [.systemChain, .host]) } ?? true))
    }

    @Test(arguments: try Table.load().rows)
    func `1.5 accepts the certificates of the table, and sends nothing to others`(_ row: Row) async throws {
        let authority = try CertificateAuthority()
        let foreign = try CertificateAuthority().der
        for kind in try Table.load().kinds {
            let identity = try authority.makeIdentity(kind)
            var tls = TestServer.TLS(authority: authority)
            tls.identity = identity
            try await TrustClient.run(tls: tls) { configuration, _ in
                configuration.securityPolicy = row.policy(
                    try identity.der[0],
                    root: try authority.der,
                    foreign: foreign
                )
            } _: { client async throws in
                if row.accepts.contains(kind) {
                    let status = try await client.session.response(for: client.request()).status
                    #expect(status == .ok, "\(kind)")
                } else {
                    let error = try await client.expectRefusal()
                    let expected: SessionError.Code = row.checks == nil ? .invalidConfiguration : .untrustedCertificate
                    #expect(error?.code == expected, "\(kind): \(String(describing: error))")
                    if row.checks != nil { #expect(error?.certificateFault != nil, "\(kind)") }
                    _ = client.server.takeFailures()
                }
            }
        }
    }

    @Test(arguments: try Table.load().rows)
    func `the pure function refuses what the engine has not verified, unless the policy allows that`(
        _ row: Row
    ) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.makeIdentity()
        let leaf = try identity.der[0]
        let policy = row.policy(leaf, root: try authority.der, foreign: try CertificateAuthority().der)
        let sent = ServerTrust(host: "localhost", certificates: [leaf], isVerified: false)
        let verified = ServerTrust(host: "localhost", certificates: [leaf, try authority.der], isVerified: true)
        let isAccepted = row.accepts.contains(.valid)
        let (first, second) = (await policy.evaluate(sent), await policy.evaluate(verified))
        #expect(((try? first.get()) != nil) == (isAccepted && row.allowsInvalid))
        #expect(((try? second.get()) != nil) == isAccepted)
        // The flags are for one host: for any other, nothing is accepted that was not verified, or is for another host.
        let elsewhere = ServerTrust(host: "elsewhere.test", certificates: [leaf], isVerified: false)
        #expect((try? await policy.evaluate(elsewhere).get()) == nil)
    }
}

extension CertificateKind: Decodable {}
extension SecurityPolicy.PinningMode: Decodable {}
extension TrustPlan.Check: Decodable {}
