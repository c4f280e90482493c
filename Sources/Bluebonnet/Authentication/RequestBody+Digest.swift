// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension RequestBody {
    /// Computes the digest of the whole body, off the caller's actor.
    @concurrent
    func digest(_ hash: DigestAlgorithm.Hash) async throws -> String {
        var hasher = DigestHasher(hash)
        var reader = try self.makeReader()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try Task.checkCancellation()
            let count = try reader.read(into: buffer)
            guard count > 0 else { return hasher.finalize() }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)]))
            await Task.yield()
        }
    }
}
