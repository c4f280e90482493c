// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
@_spi(DisableValidityCheck) @_spi(FixedExpiryValidationTime) import X509

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Finds a valid path from a server's certificate to an anchor (RFC 5280 section 6.1).
///
/// An anchor may be any certificate: a root, an intermediate authority, or the server's own, which then need not be
/// self-signed.
package struct ChainVerifier: Sendable {
    /// The maximum number of certificates that a server may send: 10.
    package static let chainLimit = 10

    /// The checks beyond signatures, constraints and purposes.
    package struct Checks: Sendable, Hashable {
        /// The host that the certificate must be valid for; nil for any.
        package var host: String?
        /// The time at which the certificates must be valid; nil for no check.
        package var time: Date?

        /// Creates checks.
        package init(host: String?, time: Date?) {
            self.host = host
            self.time = time
        }
    }

    private let anchors: CertificateStore
    private let anchorBytes: Set<[UInt8]>
    private let rules = ChainRules(cache: CertificateFactsCache())

    /// Creates a verifier with these anchors.
    ///
    /// - Parameter anchors: The only trusted certificates, in DER.
    /// - Throws: ``TrustRefusal`` if one cannot be parsed, or its key is too weak.
    package init(anchors: [[UInt8]]) throws(TrustRefusal) {
        do {
            self.anchors = CertificateStore(try anchors.map { try Certificate(derEncoded: $0) })
        } catch {
            // The library does not parse keys that are too weak.
            let objection =
                self.rules.weakness(of: anchors)
                ?? CertificateObjection(.unreadable, "a certificate that is trusted cannot be read")
            throw TrustRefusal(objection, underlying: error)
        }
        self.anchorBytes = Set(anchors)
    }

    /// Verifies the certificates of a server.
    ///
    /// - Parameters:
    ///   - sent: The certificates in DER, the leaf first.
    ///   - checks: The checks beyond the rules for paths.
    /// - Returns: The path: the certificates in DER, from the leaf to the anchor.
    /// - Throws: ``TrustRefusal``, or ``TransportError/Code/tlsFailed`` for a host that no certificate can be valid
    ///   for.
    @concurrent
    package func path(_ sent: [[UInt8]], _ checks: Checks) async throws -> [[UInt8]] {
        guard sent.count <= Self.chainLimit else {
            throw TrustRefusal("the server sends more than \(Self.chainLimit) certificates")
        }
        let host = try checks.host.map { text throws(TransportError) in try TLSHost(text) }
        let certificates = Self.withoutCopies(try self.read(sent))
        guard let leaf = certificates.first else { throw TrustRefusal("the server sends no certificate") }
        let isAnchor = self.anchorBytes.contains(sent[0])
        // The rules below check every host, too.
        var verifier = Verifier(rootCertificates: self.anchors) {
            if isAnchor {
                AnchoredServerPolicy(time: checks.time)
            } else if let time = checks.time {
                RFC5280Policy(fixedExpiryValidationTime: time)
            } else {
                RFC5280Policy.withValidityCheckDisabled()
            }
            if let host, host.name == nil || host.isCheckedByLibraries {
                ServerIdentityPolicy(serverHostname: host.name, serverIP: host.name == nil ? checks.address : nil)
            } else {
                AnyHostPolicy()
            }
            ServerPurposePolicy()
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst())) {
        case .validCertificate(let chain):
            let path = try chain.map { try $0.derBytes() }
            let objection = host.map { self.rules.objection(to: path, host: $0) } ?? self.rules.weakness(of: path)
            if let objection { throw TrustRefusal(objection) }
            return path
        case .couldNotValidate(let failures):
            throw TrustRefusal(leaf, failures, checks)
        }
    }

    /// Returns the certificates without the third and further ones with the same name and key.
    ///
    /// The library tries every order of authorities that could have signed each other: ten with the same name and key
    /// would result in a million paths. A server with a cross-signed authority sends two.
    private static func withoutCopies(_ certificates: [Certificate]) -> [Certificate] {
        var counts: [CertificateOwner: Int] = [:]
        return certificates.prefix(1)
            + certificates.dropFirst().filter { certificate in
                let owner = CertificateOwner(subject: certificate.subject, key: certificate.publicKey)
                counts[owner, default: 0] += 1
                return counts[owner, default: 0] <= 2
            }
    }

    private func read(_ sent: [[UInt8]]) throws(TrustRefusal) -> [Certificate] {
        do {
            return try sent.map { try Certificate(derEncoded: $0) }
        } catch {
            // The library does not parse keys that are too weak.
            let objection =
                self.rules.weakness(of: sent)
                ?? CertificateObjection(.unreadable, "a certificate of the server's chain cannot be read")
            throw TrustRefusal(objection, underlying: error)
        }
    }
}

/// The subject of a certificate and its key.
private struct CertificateOwner: Hashable {
    let subject: DistinguishedName
    let key: Certificate.PublicKey
}

extension ChainVerifier.Checks {
    /// The host without its zone.
    fileprivate var address: String? { self.host.map { String(Substring($0.utf8.prefix { $0 != UInt8(ascii: "%") })) } }
}

extension TrustRefusal {
    fileprivate init(
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

/// Accepts critical alternative names, so that such a certificate can be verified without a host.
private struct AnyHostPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.subjectAlternativeName]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
}
