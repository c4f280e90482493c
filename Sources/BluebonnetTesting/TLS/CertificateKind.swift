// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is right or wrong with a server's certificate.
public enum CertificateKind: String, Sendable, Hashable, CaseIterable {
    /// Nothing is wrong: it is for `localhost`, 127.0.0.1 and ::1, and signed by the server's authority.
    case valid
    /// Its time ended yesterday.
    case expired
    /// Its time begins tomorrow.
    case notYetValid
    /// It is for `other.test` only.
    case wrongHost
    /// It is signed with its own key.
    case selfSigned
    /// It is signed by a root that nobody trusts.
    case unknownRoot
}

/// What goes into a certificate of some kind.
struct CertificatePlan {
    let validFrom: TimeInterval
    let validTo: TimeInterval
    let names: [GeneralName]

    init(_ kind: CertificateKind) {
        let day: TimeInterval = 86_400
        self.validFrom = kind == .notYetValid ? day : -30 * day
        self.validTo = kind == .expired ? -day : 365 * day
        self.names =
            kind == .wrongHost
            ? [.dnsName("other.test")]
            : [
                .dnsName("localhost"),
                .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
            ]
    }

    func strangerName() throws -> DistinguishedName {
        try DistinguishedName { CommonName("Bluebonnet Unknown Root") }
    }
}
