// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension RequestBody {
    /// Computes the digest of the whole body, off the caller's actor.
    @concurrent
    func digest(_ hash: DigestAlgorithm.Hash) async throws -> String {
        var hasher = DigestHasher(hash)
        try await self.read { hasher.update($0) }
        return hasher.finalize()
    }
}
