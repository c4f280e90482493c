// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The engine's own rules for a path that has been verified: strong enough everywhere, and for this host.
struct ChainRules: Sendable {
    /// The fewest bits of an RSA key: what the CA/Browser Forum's Baseline Requirements ask for, section 6.1.5.
    static let minimumKeyBitCount = 2048

    let cache: CertificateFactsCache

    /// Says what is wrong with a path.
    ///
    /// - Parameters:
    ///   - path: The certificates in DER, from the leaf to the root.
    ///   - host: Whom they have to be for.
    /// - Returns: The objection; nil if there is none.
    func objection(to path: [[UInt8]], host: TLSHost) -> CertificateObjection? {
        guard let leaf = path.first, let facts = self.cache.facts(of: leaf) else {
            return CertificateObjection(.unreadable, "the server's certificate cannot be read")
        }
        if let objection = self.weakness(of: path) { return objection }
        // The name in the subject has no part in this, whatever it looks like (RFC 9110 section 4.3.4).
        guard facts.hasAlternativeNames else {
            return CertificateObjection(.wrongHost, "the server's certificate names no host")
        }
        // The library also accepts a certificate for the address of the *socket*, whatever host was asked for; but at its other end there
        // may be a proxy, or whoever has answered in the place of a name server, with a good certificate for an address of his own.
        guard facts.includes(host) else {
            return CertificateObjection(.wrongHost, "the server's certificate is for another host")
        }
        return nil
    }

    /// Says what in a path is too weak.
    ///
    /// The signature of a root is not looked at, because it proves nothing: it is trusted by being known.
    func weakness(of path: [[UInt8]]) -> CertificateObjection? {
        for (index, certificate) in path.enumerated() {
            guard let facts = self.cache.facts(of: certificate) else {
                return CertificateObjection(.unreadable, "a certificate of the chain cannot be read")
            }
            let whose = index == 0 ? "the server's certificate" : "a certificate of the server's chain"
            if let bitCount = facts.keyBitCount, bitCount < Self.minimumKeyBitCount {
                return CertificateObjection(
                    .weakKey,
                    "\(whose) has an RSA key of \(bitCount) bits, which is too weak: \(Self.minimumKeyBitCount) are the least"
                )
            }
            if facts.hasBrokenSignature, index < path.count - 1 {
                return CertificateObjection(
                    .weakSignature,
                    "\(whose) is signed with MD5 or SHA-1, which can be forged"
                )
            }
        }
        return nil
    }
}
