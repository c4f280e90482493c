// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// A change that a store makes later, because its caller must not wait for the disk, or for another process.
enum DeferredChange: Sendable {
    /// A body has ended early: its beginning becomes a part, with the last pieces.
    case keepPart(StoredResponse, [[UInt8]], from: Int64, at: Int64)
    /// An entry is removed.
    case discard(StoredResponse)
    /// A large body is read no more, and no longer protected.
    case makeRoom(at: Int64)
    /// The responses of a URL must not be reused.
    case invalidate(CacheKey, at: Int64)
    /// No response must be reused.
    case removeAll

    /// Whether it removes responses that must not be reused.
    var isInvalidation: Bool {
        switch self {
        case .invalidate, .removeAll: true
        case .keepPart, .discard, .makeRoom: false
        }
    }

    /// Whether it removes the responses of a URL because they must not be reused.
    func invalidates(_ key: CacheKey) -> Bool {
        if case .invalidate(key, _) = self { return true }
        if case .removeAll = self { return true }
        return false
    }

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - maximum: The number of bytes that the store holds at most.
    /// - Throws: The error of SQLite. If another process holds the database, nothing has changed; otherwise a part that
    ///   cannot be kept is removed.
    func apply(to database: borrowing CacheDatabase, maximum: Int) throws(DiskCacheError) {
        switch self {
        case .keepPart(let response, let pieces, let number, let time):
            do throws(DiskCacheError) {
                try database.complete(response, pieces, from: number, at: time, maximum: maximum)
            } catch {
                // The pieces that were written are useless without the rest.
                if number > 0, !error.isBusy { try database.discard(response.id) }
                throw error
            }
        case .discard(let response): try database.discard(response.id)
        case .makeRoom(let time): try database.makeRoom(at: time, maximum: maximum)
        case .invalidate(let key, let time): try database.removeAll(for: key, at: time)
        case .removeAll: try database.removeAll()
        }
    }
}
