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

    private let anchors: [Certificate]
    private let store: CertificateStore
    private let anchorBytes: Set<[UInt8]>
    private let rules: ChainRules

    /// Creates a verifier with these anchors.
    ///
    /// - Parameter anchors: The only trusted certificates, in DER.
    /// - Throws: ``TrustRefusal`` if one cannot be parsed, or its key is too weak.
    package init(anchors: [[UInt8]]) throws(TrustRefusal) {
        self.rules = ChainRules(cache: CertificateFactsCache())
        self.anchors = try Self.parse(anchors, whose: "a certificate that is trusted", self.rules)
        self.store = CertificateStore(self.anchors)
        self.anchorBytes = Set(anchors)
    }

    /// Verifies the certificates of a server.
    ///
    /// - Parameters:
    ///   - sent: The certificates in DER, the leaf first.
    ///   - checks: The checks beyond the rules for paths.
    ///   - isVerified: Whether they are the path that the engine has verified. It ends in a root, which a server need
    ///     not send and which does not count towards the limit.
    /// - Returns: The path: the certificates in DER, from the leaf to the anchor.
    /// - Throws: ``TrustRefusal``, or ``TransportError/Code/tlsFailed`` for a host that no certificate can be valid
    ///   for.
    @concurrent
    package func path(_ sent: [[UInt8]], _ checks: Checks, isVerified: Bool = false) async throws -> [[UInt8]] {
        guard sent.count <= Self.chainLimit + (isVerified ? 1 : 0) else {
            throw TrustRefusal("the server sends more than \(Self.chainLimit) certificates")
        }
        let host = try checks.host.map { text throws(TransportError) in try TLSHost(text) }
        let certificates = Self.withoutCopies(
            try Self.parse(sent, whose: "a certificate of the server's chain", self.rules)
        )
        guard let leaf = certificates.first else { throw TrustRefusal("the server sends no certificate") }
        let isAnchor = self.anchorBytes.contains(sent[0])
        // The rules below check every host, too.
        var verifier = Verifier(rootCertificates: self.store) {
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
            PolicyConstraintsPolicy(cache: self.rules.cache)
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst())) {
        case .validCertificate(let chain):
            let path = try chain.map { try $0.derBytes() }
            let objection = host.map { self.rules.objection(to: path, host: $0) } ?? self.rules.weakness(of: path)
            if let objection { throw TrustRefusal(objection) }
            return path
        case .couldNotValidate(let failures):
            if failures.isEmpty,
                let unsupported = UnsupportedExtension.first(
                    above: leaf,
                    certificates.dropFirst() + self.anchors,
                    supported: verifier.policy.verifyingCriticalExtensions
                )
            {
                throw TrustRefusal(unsupported)
            }
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
                let owner = CertificateOwner(certificate)
                counts[owner, default: 0] += 1
                return counts[owner, default: 0] <= 2
            }
    }

    private static func parse(
        _ certificates: [[UInt8]],
        whose: String,
        _ rules: ChainRules
    ) throws(TrustRefusal) -> [Certificate] {
        try certificates.map { der throws(TrustRefusal) in
            do {
                return try Certificate(derEncoded: der)
            } catch {
                let objection =
                    rules.weakness(of: certificates) ?? Self.unreadable(rules.cache.facts(of: der), whose: whose)
                throw TrustRefusal(objection, underlying: error)
            }
        }
    }

    /// Why the library does not parse a certificate whose key is strong enough.
    private static func unreadable(_ facts: CertificateFacts?, whose: String) -> CertificateObjection {
        guard let facts else { return CertificateObjection(.unreadable, "\(whose) cannot be read") }
        if facts.hasBrokenSignature {
            return CertificateObjection(.weakSignature, "\(whose) is signed with MD5 or SHA-1, which can be forged")
        }
        let reason =
            facts.isSignedWithPSS
            ? "is signed with RSASSA-PSS, which only the engine's own verification supports" : "cannot be read"
        return CertificateObjection(.unreadable, "\(whose) \(reason)")
    }
}

extension ChainVerifier.Checks {
    /// The host without its zone.
    fileprivate var address: String? { self.host.map { String(Substring($0.utf8.prefix { $0 != UInt8(ascii: "%") })) } }
}

/// Accepts critical alternative names, so that such a certificate can be verified without a host.
private struct AnyHostPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.subjectAlternativeName]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
}
