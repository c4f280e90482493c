// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

/// Follows the TLS library's verification of a chain without influencing it, and records the verified path.
///
/// The library calls it for each certificate of the path, from the root to the leaf, or once with the certificate that
/// it refuses; always on the connection's event loop.
final class VerifiedPath {
    /// The certificates in DER, from the root to the leaf.
    private var reversed = [[UInt8]]()
    /// The certificate that the library refused.
    private(set) var refused: [UInt8]?
    /// The engine's objection to the path.
    private(set) var objection: CertificateObjection?

    private let cache: CertificateFactsCache
    private var constraints = PolicyConstraints()

    init(cache: CertificateFactsCache) {
        self.cache = cache
    }

    /// The certificates in DER, from the leaf to the root.
    var certificates: [[UInt8]] { self.reversed.reversed() }

    /// Records the library's verdict on a certificate, and returns the same verdict.
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

    /// Whether the policy constraints of this path are certain to be met.
    ///
    /// If the policies of a path violate its constraints, the library reports that without naming the certificate, and
    /// its caller treats that as a programming error and stops the process. So a path with constraints must be refused
    /// before that unless it is certain to pass.
    private func satisfiesPolicies(_ der: [UInt8]) -> Bool {
        guard let facts = self.cache.facts(of: der) else {
            self.objection = CertificateObjection(.unreadable, "a certificate of the server's chain cannot be read")
            return false
        }
        guard !self.constraints.admit(facts) else { return true }
        self.objection = PolicyConstraints.objection
        return false
    }
}
