// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What policies above the engine ask of a certificate in DER.
package enum CertificateInspection {
    /// The SHA-256 of the certificate's SubjectPublicKeyInfo, which pins are compared with (RFC 7469 section 2.4).
    ///
    /// - Parameter der: The certificate.
    /// - Returns: 32 bytes; nil if the certificate cannot be read.
    package static func publicKeyDigest(of der: [UInt8]) -> [UInt8]? {
        (try? CertificateFacts(der: der))?.publicKeyDigest
    }

    /// Whether the certificate is for a host, by its alternative names alone (RFC 9525).
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - der: The certificate.
    /// - Returns: False also if the certificate cannot be read, or the host cannot be in one.
    package static func isFor(_ host: String, certificate der: [UInt8]) -> Bool {
        guard let host = try? TLSHost(host), let facts = try? CertificateFacts(der: der) else { return false }
        return facts.includes(host)
    }
}
