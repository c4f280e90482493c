// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// A change that a store makes a moment later: whoever asks for it must not wait for the disk, or for another process.
enum DeferredChange: Sendable {
    /// A body ended early: what there is of it becomes a part, with the last pieces.
    case keepPart(StoredResponse, [[UInt8]], from: Int64, at: Int64)
    /// Nothing stays of an entry.
    case discard(StoredResponse)

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - maximum: The number of bytes that the store holds at most.
    /// - Throws: What SQLite says is wrong. A part that cannot be kept is removed, unless another process is writing.
    func apply(to database: borrowing CacheDatabase, maximum: Int) throws(DiskCacheError) {
        switch self {
        case .keepPart(let response, let pieces, let number, let time):
            do throws(DiskCacheError) {
                try database.complete(response, pieces, from: number, at: time, maximum: maximum)
            } catch {
                // What was written as it came is worth nothing without the rest. It is no use to wait for another process once more.
                if number > 0, !error.isBusy { try database.remove(response.id) }
                throw error
            }
        case .discard(let response): try database.remove(response.id)
        }
    }
}
