// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// Checks the permitted purposes of the keys in a chain: server authentication for the leaf, certificate signing for
/// the others (RFC 5280 sections 4.2.1.3 and 4.2.1.12).
struct ServerPurposePolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.keyUsage,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        do {
            for (index, certificate) in chain.enumerated() {
                // An anchor is trusted because it is configured, not because of its extensions.
                if index > 0, index == chain.count - 1 { break }
                if let usages = try certificate.extensions.extendedKeyUsage,
                    !usages.contains(.serverAuth), !usages.contains(.any)
                {
                    return .failsToMeetPolicy(reason: "a key may not be used by servers")
                }
                if index > 0, let usage = try certificate.extensions.keyUsage, !usage.keyCertSign {
                    return .failsToMeetPolicy(reason: "a key that signs certificates may not be used to")
                }
            }
            return .meetsPolicy
        } catch {
            return .failsToMeetPolicy(reason: "an extension cannot be read: \(error)")
        }
    }
}

extension Certificate {
    /// Returns the certificate in DER.
    func derBytes() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}
