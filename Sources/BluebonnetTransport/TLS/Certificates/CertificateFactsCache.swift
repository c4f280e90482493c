// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Caches the facts of certificates: a server sends the same ones with every connection.
final class CertificateFactsCache: Sendable {
    private let known = Mutex<[[UInt8]: CertificateFacts]>([:])
    private let limit: Int

    /// Larger certificates are not cached, so that they cannot exhaust memory.
    private static let largest = 8 * 1024

    /// - Parameter limit: The maximum number of cached certificates; beyond it, the cache is cleared.
    init(limit: Int = 256) {
        self.limit = limit
    }

    /// The number of cached certificates.
    var count: Int { self.known.withLock { $0.count } }

    /// Returns the facts of a certificate; nil if it cannot be parsed.
    func facts(of der: [UInt8]) -> CertificateFacts? {
        if let facts = self.known.withLock({ $0[der] }) { return facts }
        guard let facts = try? CertificateFacts(der: der) else { return nil }
        guard der.count <= Self.largest else { return facts }
        self.known.withLock { known in
            if known.count >= self.limit { known.removeAll(keepingCapacity: true) }
            known[der] = facts
        }
        return facts
    }
}
