// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import FoundationEssentials

extension SecurityPolicy {
    /// Evaluates a server by its certificates, without a connection.
    ///
    /// A policy that relies on the engine's verification (all but those with ``allowsInvalidCertificates``) refuses
    /// certificates that are not marked as verified, because nothing is proven by what a server sends.
    ///
    /// - Parameters:
    ///   - server: The host, and its certificates.
    ///   - time: When they have to be valid; now by default.
    /// - Returns: The certificates in DER whose keys are proven, the server's own first; or the reason why the server
    ///   is refused.
    public func evaluate(_ server: ServerTrust, at time: Date = Date.now) async -> Result<[[UInt8]], TrustRefusal> {
        do {
            return .success(try await self.path(of: server, self.plan(for: server.host), time))
        } catch let refusal as TrustRefusal {
            return .failure(refusal)
        } catch {
            return .failure(TrustRefusal("the certificates of \(server.host) cannot be judged", underlying: error))
        }
    }

    /// The path that satisfies a plan.
    func path(of server: ServerTrust, _ plan: TrustPlan, _ time: Date) async throws -> [[UInt8]] {
        if let refusal = plan.refusal { throw TrustRefusal(refusal) }
        guard let leaf = server.certificates.first else { throw TrustRefusal("the server sends no certificate") }
        if plan.checks.contains(.systemChain), !server.isVerified {
            throw TrustRefusal("the certificates of \(server.host) have not been verified", fault: .unknownAuthority)
        }
        if plan.checks.contains(.host), !CertificateInspection.isFor(server.host, certificate: leaf) {
            throw TrustRefusal("the server's certificate is not for \(server.host)", fault: .wrongHost)
        }
        let host = plan.checks.contains(.host) ? server.host : nil
        if plan.checks.contains(.pinnedAnchor) {
            return try await self.anchoredPath(of: server, ChainVerifier.Checks(host: host, time: time))
        }
        if plan.checks.contains(.pinnedKey) {
            guard server.isVerified else { return try await self.signedPath(of: server, host: host) }
            guard !self.withPinnedKeys(server.certificates).isEmpty else { throw self.mismatch(server) }
            return server.certificates
        }
        // If nothing was verified, the handshake has still proven the key of the server's own certificate, and no
        // other.
        return server.isVerified ? server.certificates : [leaf]
    }

    /// The path to a pinned certificate, which is the only root for it.
    private func anchoredPath(of server: ServerTrust, _ checks: ChainVerifier.Checks) async throws -> [[UInt8]] {
        do {
            return try await ChainVerifier(anchors: Array(self.pinnedCertificates))
                .path(server.certificates, checks, isVerified: server.isVerified)
        } catch var refusal as TrustRefusal {
            // The chain may be publicly trusted, but it is not one of those that are pinned.
            if server.isVerified, [.unknownAuthority, .selfSigned].contains(refusal.fault) {
                refusal.fault = .pinMismatch
                refusal.reason = "no pinned certificate is in the chain of \(server.host)"
            }
            throw refusal
        }
    }

    /// The path of signatures from the server's certificate to one with a pinned key, regardless of other authorities.
    private func signedPath(of server: ServerTrust, host: String?) async throws -> [[UInt8]] {
        let anchors = self.withPinnedKeys(server.certificates) + self.pinnedCertificates
        do {
            return try await ChainVerifier(anchors: anchors)
                .path(server.certificates, ChainVerifier.Checks(host: host, time: nil))
        } catch let refusal as TrustRefusal where refusal.fault == .unknownAuthority || refusal.fault == .selfSigned {
            throw self.mismatch(server)
        }
    }

    /// The certificates whose key is pinned.
    private func withPinnedKeys(_ certificates: [[UInt8]]) -> [[UInt8]] {
        let keys = Set(self.pinnedCertificates.compactMap { CertificateInspection.publicKeyDigest(of: $0) })
        return certificates.filter { CertificateInspection.publicKeyDigest(of: $0).map(keys.contains) ?? false }
    }

    private func mismatch(_ server: ServerTrust) -> TrustRefusal {
        TrustRefusal("no key in the chain of \(server.host) is that of a pinned certificate", fault: .pinMismatch)
    }
}

/// The evaluator of a ``SecurityPolicy`` for the engine, with one plan.
struct PolicyEvaluator: VerifiedPathEvaluator {
    let policy: SecurityPolicy
    let plan: TrustPlan
    let now: @Sendable () -> Date

    var mode: TrustMode {
        guard self.plan.checks.contains(.systemChain) else { return .replacing }
        return self.plan.checks.contains(.host) ? .additional : .additionalToChain
    }

    var identity: TrustIdentity { TrustIdentity(Parts(plan: self.plan, certificates: self.policy.pinnedCertificates)) }

    private struct Parts: Hashable, Sendable {
        let plan: TrustPlan
        let certificates: Set<[UInt8]>
    }

    func evaluate(_ server: ServerTrust) async throws {
        _ = try await self.verifiedPath(of: server)
    }

    func verifiedPath(of server: ServerTrust) async throws -> [[UInt8]] {
        try await self.policy.path(of: server, self.plan, self.now())
    }
}
