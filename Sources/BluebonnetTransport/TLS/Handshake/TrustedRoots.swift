// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Prepares configured roots for the TLS library.
enum TrustedRoots {
    /// Returns the roots without those that have been renewed with the same name and key.
    ///
    /// Of several roots with one name the library uses the first that could have signed a certificate, and refuses the
    /// chain if that root has expired. A bundle has both certificates while a root is being replaced.
    ///
    /// - Parameters:
    ///   - roots: The roots in order.
    ///   - time: The time at which a root must be valid to take the place of others.
    /// - Returns: The roots in order. Of those with the same name and key, the valid one that expires last; all of them
    ///   if none is valid.
    static func withoutPredecessors(_ roots: [NIOSSLCertificate], at time: Date = .now) -> [NIOSSLCertificate] {
        guard roots.count > 1 else { return roots }
        // The library may accept a root that cannot be parsed here.
        let parsed = roots.map { root in try? Certificate(derEncoded: root.toDERBytes()) }
        var current: [CertificateOwner: Certificate] = [:]
        for case let root? in parsed where root.notValidBefore <= time && time <= root.notValidAfter {
            let owner = CertificateOwner(root)
            guard current[owner].map({ $0.notValidAfter < root.notValidAfter }) ?? true else { continue }
            current[owner] = root
        }
        return zip(roots, parsed).compactMap { root, parsed in
            guard let parsed, let successor = current[CertificateOwner(parsed)] else { return root }
            return parsed == successor ? root : nil
        }
    }
}
