// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// Whether the policy constraints of a path are certain to be met (RFC 5280 section 4.2.1.11).
///
/// No policy is requested, so that policies matter only if a certificate requires one. Such a path is accepted if one
/// policy is asserted by every certificate below the root and none is mapped to another: a simplification of RFC 5280
/// section 6.1 that never accepts more.
struct PolicyConstraints {
    static let objection = CertificateObjection(
        .brokenRule,
        "the constraints on policies in the server's certificate chain cannot be shown to be met"
    )

    private var isConstrained = false
    /// The policies that every certificate so far asserts.
    private var policies: Set<CertificateFacts.Policy>?

    /// Adds the next certificate of a path, in the order from the one below the root to the leaf.
    ///
    /// - Returns: Whether the constraints are met so far.
    mutating func admit(_ facts: CertificateFacts) -> Bool {
        self.isConstrained = self.isConstrained || facts.constrainsPolicies
        self.policies = facts.mapsPolicies ? [] : self.policies?.intersection(facts.policies) ?? facts.policies
        return !self.isConstrained || self.policies?.isEmpty == false
    }
}

/// Applies ``PolicyConstraints`` to the paths of a ``ChainVerifier``, so that it accepts what the engine accepts.
struct PolicyConstraintsPolicy: VerifierPolicy {
    let cache: CertificateFactsCache

    /// Certificate policies, policy mappings, policy constraints and inhibitAnyPolicy.
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        [2, 5, 29, 32], [2, 5, 29, 33], [2, 5, 29, 36], [2, 5, 29, 54],
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        var constraints = PolicyConstraints()
        for certificate in chain.reversed().dropFirst() {
            guard let der = try? certificate.derBytes(), let facts = self.cache.facts(of: der) else {
                return .failsToMeetPolicy(reason: "a certificate cannot be read")
            }
            guard constraints.admit(facts) else {
                return .failsToMeetPolicy(reason: "its constraints on policies cannot be shown to be met")
            }
        }
        return .meetsPolicy
    }
}
