// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The policy for a server whose own certificate is an anchor: the certificate must be within its validity period.
///
/// The rules for paths require an anchor to be a certificate authority, which a server's certificate is not.
struct AnchoredServerPolicy: VerifierPolicy {
    /// The time at which the certificate must be valid; nil for no check.
    let time: Date?

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.nameConstraints, .X509ExtensionID.keyUsage,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 1 else { return .failsToMeetPolicy(reason: "the server's own certificate is the anchor") }
        if let time, chain.leaf.notValidBefore > time || time > chain.leaf.notValidAfter {
            return .failsToMeetPolicy(reason: "it is not valid at this time")
        }
        return .meetsPolicy
    }
}
