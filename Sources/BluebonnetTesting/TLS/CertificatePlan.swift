// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CryptoExtras
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The properties of a certificate to create.
struct CertificatePlan {
    /// The signer of the certificate.
    enum Issuer {
        case authority, itself, stranger
        /// A newly created intermediate authority.
        case intermediate(sendsCertificate: Bool, keyIsRSA: Bool = false, permits: String? = nil)
    }

    var issuer = Issuer.authority
    var commonName = "Bluebonnet Test Server"
    var validFrom: TimeInterval = -30 * Self.day
    var validTo: TimeInterval = 365 * Self.day
    var names: [GeneralName] = [
        .dnsName("localhost"),
        .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
        .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ]
    var usage = ExtendedKeyUsage.Usage.serverAuth
    var isKeyWeak = false
    var isSignatureWeak = false
    var demandsPolicy = false
    var hasPolicy = false

    private static let day: TimeInterval = 86_400

    /// Returns the plan of a client certificate.
    static func client(commonName: String) -> CertificatePlan {
        var plan = CertificatePlan(.valid)
        plan.commonName = commonName
        plan.names = []
        plan.usage = .clientAuth
        return plan
    }

    init(_ kind: CertificateKind) {
        switch kind {
        case .valid: break
        case .intermediate: self.issuer = .intermediate(sendsCertificate: true)
        case .expired: self.validTo = -Self.day
        case .notYetValid: self.validFrom = Self.day
        case .wrongHost: self.names = [.dnsName("other.test")]
        case .commonNameOnly: (self.commonName, self.names) = ("localhost", [])
        case .selfSigned: self.issuer = .itself
        case .unknownRoot: self.issuer = .stranger
        case .missingIntermediate: self.issuer = .intermediate(sendsCertificate: false)
        case .forbiddenName: self.issuer = .intermediate(sendsCertificate: true, permits: "other.test")
        case .wrongPurpose: self.usage = .clientAuth
        case .metPolicy: (self.demandsPolicy, self.hasPolicy) = (true, true)
        case .unmetPolicy: self.demandsPolicy = true
        case .weakKey: self.isKeyWeak = true
        case .weakSignature:
            self.issuer = .intermediate(sendsCertificate: true, keyIsRSA: true)
            self.isSignatureWeak = true
        }
    }

    /// Returns the extensions of the certificate.
    func extensions(key: Certificate.PublicKey) throws -> Certificate.Extensions {
        let isItsOwnRoot = if case .itself = self.issuer { true } else { false }
        var extensions = try Certificate.Extensions {
            // A self-signed certificate is its own root, and a client can trust it only if it is marked as an
            // authority.
            Critical(
                isItsOwnRoot ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
            )
            Critical(KeyUsage(digitalSignature: true, keyEncipherment: self.isKeyWeak, keyCertSign: isItsOwnRoot))
            try ExtendedKeyUsage([self.usage])
            SubjectKeyIdentifier(hash: key)
        }
        if !self.names.isEmpty {
            try extensions.append(Certificate.Extension(SubjectAlternativeNames(self.names), critical: false))
        }
        if self.hasPolicy {
            // CertificatePolicies: one policy with an unassigned number.
            try extensions.append(
                Certificate.Extension(
                    oid: [2, 5, 29, 32],
                    critical: false,
                    value: [0x30, 0x06, 0x30, 0x04, 0x06, 0x02, 0x2A, 0x03]
                )
            )
        }
        if self.demandsPolicy {
            // PolicyConstraints: SEQUENCE { [0] requireExplicitPolicy 0 }.
            try extensions.append(
                Certificate.Extension(oid: [2, 5, 29, 36], critical: true, value: [0x30, 0x03, 0x80, 0x01, 0x00])
            )
        }
        return extensions
    }
}
