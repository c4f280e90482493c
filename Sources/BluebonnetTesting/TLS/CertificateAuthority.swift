// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import NIOSSL
import SwiftASN1
import Synchronization
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A root that signs certificates for test servers; its key is made anew and never leaves the process.
public final class CertificateAuthority: Sendable {
    /// The root's certificate in PEM, for a client to trust.
    public let pem: [UInt8]

    let certificate: Certificate
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    private static let common = Mutex<CertificateAuthority?>(nil)

    /// The authority of all servers of this process that are given no other.
    ///
    /// - Returns: The authority, made at the first call.
    /// - Throws: What ``init(commonName:)`` throws.
    public static func shared() throws -> CertificateAuthority {
        try self.common.withLock { common in
            if let common { return common }
            let authority = try CertificateAuthority()
            common = authority
            return authority
        }
    }

    /// Makes a key and a root that signs itself, valid from a year ago for ten years.
    ///
    /// - Parameter commonName: The name in the certificate.
    /// - Throws: If the certificate cannot be made, for example because of a name that does not fit in one.
    public init(commonName: String = "Bluebonnet Test Root") throws {
        self.key = P256.Signing.PrivateKey()
        self.name = try DistinguishedName { CommonName(commonName) }
        let publicKey = Certificate.PublicKey(self.key.publicKey)
        self.certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: Date().addingTimeInterval(-365 * 86_400),
            notValidAfter: Date().addingTimeInterval(9 * 365 * 86_400),
            issuer: self.name,
            subject: self.name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(self.key)
        )
        self.pem = Array(try self.certificate.serializeAsPEM().pemString.utf8)
    }

    /// Makes a certificate and its key.
    ///
    /// - Parameter kind: What is right or wrong with it.
    /// - Returns: The certificate, for ``TestServer/TLS`` or a server of your own.
    /// - Throws: If the certificate cannot be made.
    public func makeIdentity(_ kind: CertificateKind = .valid) throws -> ServerIdentity {
        let plan = CertificatePlan(kind)
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let subject = try DistinguishedName { CommonName("Bluebonnet Test Server") }
        // One that signs itself is its own issuer; one of an unknown root has the right name and the wrong signature.
        let issuerKey = kind == .selfSigned ? key : kind == .unknownRoot ? P256.Signing.PrivateKey() : self.key
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: Date().addingTimeInterval(plan.validFrom),
            notValidAfter: Date().addingTimeInterval(plan.validTo),
            issuer: kind == .selfSigned ? subject : kind == .unknownRoot ? try plan.strangerName() : self.name,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                // One that signs itself is its own root, and a client can trust it only if it says so.
                Critical(
                    kind == .selfSigned
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
                )
                Critical(KeyUsage(digitalSignature: true, keyCertSign: kind == .selfSigned))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: publicKey)
                SubjectAlternativeNames(plan.names)
            },
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
        return ServerIdentity(
            certificatePEM: Array(try certificate.serializeAsPEM().pemString.utf8),
            privateKeyPEM: Array(key.pemRepresentation.utf8)
        )
    }
}

/// A certificate and its key, in PEM.
public struct ServerIdentity: Sendable, Hashable {
    /// The certificate in PEM.
    public var certificatePEM: [UInt8]
    /// Its private key in PEM.
    public var privateKeyPEM: [UInt8]
}
