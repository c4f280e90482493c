// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is asked of a server whose own certificate is an anchor: that its time has come and is not over.
///
/// The rules for paths say that an anchor has to be an authority, which the certificate of a server is not.
struct AnchoredServerPolicy: VerifierPolicy {
    /// When the certificate has to be valid; nil for whenever.
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
