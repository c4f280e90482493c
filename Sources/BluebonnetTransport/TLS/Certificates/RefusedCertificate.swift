// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate that the TLS library refused without a reason.
struct RefusedCertificate {
    let der: [UInt8]

    /// The probable reason.
    var objection: CertificateObjection {
        let (fault, reason) = self.finding
        return CertificateObjection(fault, "the server's certificate is not trusted: \(reason)")
    }

    private var finding: (CertificateFault, String) {
        guard let certificate = try? Certificate(derEncoded: self.der) else {
            // The library does not parse signatures with MD5.
            guard (try? CertificateFacts(der: self.der))?.hasBrokenSignature == true else {
                return (.unreadable, "its chain cannot be verified")
            }
            return (.weakSignature, "one of its chain is signed with MD5 or SHA-1, which can be forged")
        }
        if certificate.notValidAfter < Date.now {
            return (.expired, "one of its chain expired on \(Self.day(certificate.notValidAfter))")
        }
        if certificate.notValidBefore > Date.now {
            return (.notYetValid, "one of its chain is not valid before \(Self.day(certificate.notValidBefore))")
        }
        if certificate.issuer == certificate.subject {
            return (.selfSigned, "its chain ends in one that is self-signed and not among the known roots")
        }
        return (
            .unknownAuthority,
            "it is signed by an unknown authority, the server does not send the whole chain, or the chain breaks its own rules"
        )
    }

    /// Returns the UTC date of a time, for example `2026-05-01`.
    static func day(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day())
    }
}
