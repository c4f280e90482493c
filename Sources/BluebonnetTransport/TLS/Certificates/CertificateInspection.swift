// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// Operations on a DER certificate for policies above the engine.
package enum CertificateInspection {
    /// Returns the SHA-256 digest of the certificate's SubjectPublicKeyInfo, which pins are compared with (RFC 7469
    /// section 2.4).
    ///
    /// - Parameter der: The certificate.
    /// - Returns: 32 bytes; nil if the certificate cannot be parsed.
    package static func publicKeyDigest(of der: [UInt8]) -> [UInt8]? {
        (try? CertificateFacts(der: der))?.publicKeyDigest
    }

    /// Whether the certificate is valid for a host, by its alternative names only (RFC 9525).
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - der: The certificate.
    /// - Returns: Also false if the certificate cannot be parsed, or if no certificate can be valid for the host.
    package static func isFor(_ host: String, certificate der: [UInt8]) -> Bool {
        guard let host = try? TLSHost(host), let facts = try? CertificateFacts(der: der) else { return false }
        return facts.includes(host)
    }

    /// A readable summary of a certificate.
    package struct Summary: Sendable {
        /// The distinguished names (RFC 5280 section 4.1.2.4).
        package var subject, issuer: String
        /// The hosts and addresses it is for.
        package var names: [String]
        /// The first and last day of validity, for example `2026-05-01`.
        package var firstDay, lastDay: String
    }

    /// Returns a readable summary of a certificate.
    ///
    /// - Parameter der: The certificate.
    /// - Returns: The summary; nil if the certificate cannot be parsed.
    package static func summary(of der: [UInt8]) -> Summary? {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        let facts = try? CertificateFacts(der: der)
        return Summary(
            subject: "\(certificate.subject)",
            issuer: "\(certificate.issuer)",
            names: facts?.hosts ?? [],
            firstDay: RefusedCertificate.day(certificate.notValidBefore),
            lastDay: RefusedCertificate.day(certificate.notValidAfter)
        )
    }
}
