// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The facts of certificates that were read before: those of servers come again with every connection.
final class CertificateFactsCache: Sendable {
    private let known = Mutex<[[UInt8]: CertificateFacts]>([:])
    private let limit: Int

    /// Larger certificates are read each time, so that nobody fills the memory with them.
    private static let largest = 8 * 1024

    /// - Parameter limit: How many certificates are remembered; beyond, all are forgotten, which costs reading them again.
    init(limit: Int = 256) {
        self.limit = limit
    }

    /// How many certificates are remembered.
    var count: Int { self.known.withLock { $0.count } }

    /// The facts of a certificate; nil if it cannot be read.
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
