// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The engine's own rules for a verified path: its strength, and its host.
struct ChainRules: Sendable {
    /// The minimum size of an RSA key in bits, from the CA/Browser Forum's Baseline Requirements, section 6.1.5.
    static let minimumKeyBitCount = 2048

    let cache: CertificateFactsCache

    /// Checks a path.
    ///
    /// - Parameters:
    ///   - path: The certificates in DER, from the leaf to the root.
    ///   - host: The host that the leaf must be valid for.
    /// - Returns: The objection; nil if there is none.
    func objection(to path: [[UInt8]], host: TLSHost) -> CertificateObjection? {
        guard let leaf = path.first, let facts = self.cache.facts(of: leaf) else {
            return CertificateObjection(.unreadable, "the server's certificate cannot be read")
        }
        if let objection = self.weakness(of: path) { return objection }
        // The subject's common name is ignored (RFC 9110 section 4.3.4).
        guard facts.hasAlternativeNames else {
            return CertificateObjection(.wrongHost, "the server's certificate names no host")
        }
        // The library also accepts a certificate for the address of the *socket*, whatever the host is. But that may be
        // the address of a proxy, or of an attacker who has spoofed name resolution and has a valid certificate for
        // their own address.
        guard facts.includes(host) else {
            return CertificateObjection(
                .wrongHost,
                "the server's certificate is for \(facts.hostList), not for \(host.text)"
            )
        }
        return nil
    }

    /// Checks the strength of a path.
    ///
    /// The signature of a root is not checked, because it proves nothing: a root is trusted by being configured.
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
