// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import X509

extension TrustRefusal {
    /// A certificate of the path has a critical extension that is not supported.
    init(_ unsupported: UnsupportedExtension) {
        let whose = unsupported.isOfLeaf ? "the server's certificate" : "a certificate of the server's chain"
        self.init(
            "\(whose) has a critical extension that is not supported (\(unsupported.identifier))",
            fault: .brokenRule
        )
    }

    /// No path to an anchor satisfies the rules.
    init(
        _ leaf: Certificate,
        _ failures: [CertificateValidationResult.PolicyFailure],
        _ checks: ChainVerifier.Checks
    ) {
        guard let failure = failures.first else {
            let isSelfSigned = leaf.issuer == leaf.subject
            self.init(
                "no path leads from the server's certificate to one that is trusted",
                fault: isSelfSigned ? .selfSigned : .unknownAuthority
            )
            return
        }
        if let time = checks.time {
            for certificate in failure.chain {
                if certificate.notValidAfter < time {
                    self.init("a certificate of the server's chain has expired", fault: .expired)
                    return
                }
                if certificate.notValidBefore > time {
                    self.init("a certificate of the server's chain is not valid yet", fault: .notYetValid)
                    return
                }
            }
        }
        let reason = failure.policyFailureReason.description
        if let host = checks.host, reason.contains("SAN") || reason.contains("Common name") {
            self.init("the server's certificate is not for \(host)", fault: .wrongHost)
            return
        }
        // The verifier's description may contain whole certificates.
        self.init("the server's certificate chain breaks a rule: \(reason.prefix(200))", fault: .brokenRule)
    }
}
