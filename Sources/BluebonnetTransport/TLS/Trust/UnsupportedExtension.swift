// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// A critical extension that the policies of a ``ChainVerifier`` do not process (RFC 5280 section 4.2).
///
/// The library skips certificates with such an extension, and reports no reason if no path is left.
struct UnsupportedExtension {
    let identifier: ASN1ObjectIdentifier
    let isOfLeaf: Bool

    /// Finds the extension that makes the library skip a certificate.
    ///
    /// - Parameters:
    ///   - leaf: The server's certificate.
    ///   - issuers: The certificates that may have signed it, or each other.
    ///   - supported: The extensions that the policies process.
    /// - Returns: The extension of the leaf, or of a certificate that has signed it, directly or not; nil if there is
    ///   none.
    static func first(
        above leaf: Certificate,
        _ issuers: [Certificate],
        supported: [ASN1ObjectIdentifier]
    ) -> UnsupportedExtension? {
        var remaining = issuers
        var signed = [leaf]
        while let certificate = signed.popLast() {
            let unsupported = certificate.extensions.first { $0.critical && !supported.contains($0.oid) }
            if let unsupported { return Self(identifier: unsupported.oid, isOfLeaf: certificate == leaf) }
            let signers = remaining.filter { issuer in
                issuer.subject == certificate.issuer
                    && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
            }
            remaining.removeAll { signers.contains($0) }
            signed += signers
        }
        return nil
    }
}
