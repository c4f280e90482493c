// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

/// Follows the TLS library's verification of a chain, without a say in it, and remembers the path it took.
///
/// The library calls for each certificate of the path, from the root to the leaf, or once with the certificate that it refuses. On the
/// connection's event loop only.
final class VerifiedPath {
    /// The certificates in DER, from the root to the leaf.
    private var reversed = [[UInt8]]()
    /// The certificate that was refused.
    private(set) var refused: [UInt8]?
    /// Why the path was refused here.
    private(set) var objection: CertificateObjection?

    private let cache: CertificateFactsCache
    private var constrainsPolicies = false
    /// The policies that every certificate below the root asserts.
    private var policies: Set<CertificateFacts.Policy>?

    init(cache: CertificateFactsCache) {
        self.cache = cache
    }

    /// The certificates in DER, from the leaf to the root.
    var certificates: [[UInt8]] { self.reversed.reversed() }

    /// Notes what the library says of a certificate, and says the same.
    func follow(_ verdict: NIOSSLVerificationResult, _ certificate: NIOSSLCertificate) -> NIOSSLVerificationResult {
        guard let der = try? certificate.toDERBytes() else { return .failed }
        guard case .certificateVerified = verdict else {
            self.refused = der
            return .failed
        }
        let isRoot = self.reversed.isEmpty
        self.reversed.append(der)
        return isRoot || self.satisfiesPolicies(der) ? .certificateVerified : .failed
    }

    /// Whether it is certain that the constraints on policies in this path are met (RFC 5280 section 4.2.1.11).
    ///
    /// The library reports a path whose policies do not satisfy its constraints without saying which certificate is at fault, and its
    /// caller takes that for a mistake of the program and stops it. So a path with constraints must not get that far unless it
    /// is sure to pass: when one policy is asserted all the way down and nothing maps it to another.
    private func satisfiesPolicies(_ der: [UInt8]) -> Bool {
        guard let facts = self.cache.facts(of: der) else {
            self.objection = CertificateObjection(.unreadable, "a certificate of the server's chain cannot be read")
            return false
        }
        self.constrainsPolicies = self.constrainsPolicies || facts.constrainsPolicies
        self.policies = facts.mapsPolicies ? [] : self.policies?.intersection(facts.policies) ?? facts.policies
        guard self.constrainsPolicies, self.policies?.isEmpty ?? true else { return true }
        self.objection = CertificateObjection(
            .brokenRule,
            "the constraints on policies in the server's certificate chain cannot be shown to be met"
        )
        return false
    }
}
