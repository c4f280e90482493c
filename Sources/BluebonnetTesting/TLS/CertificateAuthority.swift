// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import SwiftASN1
import Synchronization
import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A root that signs certificates for test servers; its key is newly created and never leaves the process.
public final class CertificateAuthority: Sendable {
    /// The root's certificate in PEM, for a client to trust.
    public let pem: [UInt8]

    let certificate: Certificate
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    private static let common = Mutex<CertificateAuthority?>(nil)

    /// Returns the authority of all servers of this process that have no other.
    ///
    /// - Returns: The authority, created at the first call.
    /// - Throws: The error of ``init(commonName:)``.
    public static func shared() throws -> CertificateAuthority {
        try self.common.withLock { common in
            if let common { return common }
            let authority = try CertificateAuthority()
            common = authority
            return authority
        }
    }

    /// Creates a key and a self-signed root, valid from a year ago for ten years.
    ///
    /// - Parameter commonName: The name in the certificate.
    /// - Throws: An error if the certificate cannot be created, for example because the name does not fit into it.
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

    /// Creates a server certificate and its key.
    ///
    /// - Parameter kind: The property or fault of the certificate.
    /// - Returns: The certificate, for ``TestServer/TLS`` or your own server.
    /// - Throws: An error if the certificate cannot be created.
    public func makeIdentity(_ kind: CertificateKind = .valid) throws -> CertificateIdentity {
        try self.makeIdentity(CertificatePlan(kind))
    }

    /// Creates a valid server certificate for the given hosts, and its key.
    ///
    /// - Parameter hosts: Names, which may have `*` as their first label, and IP addresses.
    /// - Returns: The certificate.
    /// - Throws: An error if the certificate cannot be created.
    public func makeIdentity(hosts: [String]) throws -> CertificateIdentity {
        var plan = CertificatePlan(.valid)
        plan.names = hosts.map { host in
            guard let address = Self.addressBytes(host) else { return .dnsName(host) }
            return .ipAddress(ASN1OctetString(contentBytes: address))
        }
        return try self.makeIdentity(plan)
    }

    /// Creates a client certificate and its key.
    ///
    /// - Parameter commonName: The name in it.
    /// - Returns: The certificate, for a client of a server with ``TestServer/TLS/clientCertificates``.
    /// - Throws: An error if the certificate cannot be created.
    public func makeClientIdentity(commonName: String = "Bluebonnet Test Client") throws -> CertificateIdentity {
        try self.makeIdentity(CertificatePlan.client(commonName: commonName))
    }

    private func makeIdentity(_ plan: CertificatePlan) throws -> CertificateIdentity {
        let (key, keyPEM) = try Self.makeKey(plan)
        let subject = try DistinguishedName { CommonName(plan.commonName) }
        var sent = [Certificate]()
        var (issuer, issuerKey) = (self.name, Certificate.PrivateKey(self.key))
        switch plan.issuer {
        case .authority: break
        case .itself: (issuer, issuerKey) = (subject, key)
        case .stranger:
            issuer = try DistinguishedName { CommonName("Bluebonnet Unknown Root") }
            issuerKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        case .intermediate(let sendsCertificate, let keyIsRSA, let permitted):
            let middle: Certificate
            (middle, issuerKey) = try self.makeIntermediate(keyIsRSA: keyIsRSA, permits: permitted)
            issuer = middle.subject
            if sendsCertificate { sent.append(middle) }
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date().addingTimeInterval(plan.validFrom),
            notValidAfter: Date().addingTimeInterval(plan.validTo),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: plan.isSignatureWeak ? .sha1WithRSAEncryption : .ecdsaWithSHA256,
            extensions: try plan.extensions(key: key.publicKey),
            issuerPrivateKey: issuerKey
        )
        return CertificateIdentity(
            certificatePEM: try ([certificate] + sent).flatMap {
                Array(try $0.serializeAsPEM().pemString.utf8) + [0x0A]
            },
            privateKeyPEM: Array(keyPEM.utf8)
        )
    }

    /// Creates an intermediate authority between the root and server certificates.
    private func makeIntermediate(
        keyIsRSA: Bool,
        permits permitted: String?
    ) throws -> (Certificate, Certificate.PrivateKey) {
        let key =
            keyIsRSA
            ? Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            : Certificate.PrivateKey(P256.Signing.PrivateKey())
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true))
            SubjectKeyIdentifier(hash: key.publicKey)
        }
        if let permitted {
            try extensions.append(
                Certificate.Extension(NameConstraints(permittedSubtrees: [.dnsName(permitted)]), critical: true)
            )
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date().addingTimeInterval(-30 * 86_400),
            notValidAfter: Date().addingTimeInterval(365 * 86_400),
            issuer: self.name,
            subject: try DistinguishedName { CommonName("Bluebonnet Test Intermediate") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(self.key)
        )
        return (certificate, key)
    }

    /// Returns the 4 or 16 bytes of an IP address.
    private static func addressBytes(_ text: String) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return bytes.prefix(4) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes[...] : nil
    }

    private static func makeKey(_ plan: CertificatePlan) throws -> (Certificate.PrivateKey, pem: String) {
        guard plan.isKeyWeak else {
            let key = P256.Signing.PrivateKey()
            return (Certificate.PrivateKey(key), key.pemRepresentation)
        }
        let key = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 1024))
        return (Certificate.PrivateKey(key), key.pemRepresentation)
    }
}
