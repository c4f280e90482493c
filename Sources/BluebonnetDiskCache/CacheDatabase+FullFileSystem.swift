// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What happens while the file system is full.
///
/// Removing needs room, too, because it is written to the log first. A cache that cannot remove would reuse what was
/// invalidated, and keep the file system full; so it is emptied instead.
extension CacheDatabase {
    /// Performs a removal; if there is no room even for that, removes everything.
    ///
    /// - Parameter body: The removal; it is not within a transaction.
    /// - Throws: The error of SQLite.
    func removing(_ body: () throws(DiskCacheError) -> Void) throws(DiskCacheError) {
        do throws(DiskCacheError) {
            try body()
        } catch  where error.isFull {
            try self.empty()
        }
    }

    /// Performs a removal in a transaction.
    func removingTransaction(_ body: () throws(DiskCacheError) -> Void) throws(DiskCacheError) {
        try self.removing { () throws(DiskCacheError) in try self.database.transaction(body) }
    }

    /// Removes an entry at once, in any state.
    func discard(_ id: UUID) throws(DiskCacheError) {
        try self.removing { () throws(DiskCacheError) in try self.remove(id) }
    }

    /// Removes leftovers, and what exceeds the maximum.
    func tidyUp(at now: Int64, maximum: Int) throws(DiskCacheError) {
        try self.removing { () throws(DiskCacheError) in try self.removeLeftovers(at: now) }
        try self.makeRoom(at: now, maximum: maximum)
    }

    /// Stores something in a transaction; if there is no room for it, removes an eighth of what is stored, so that
    /// there is for what follows.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - body: Stores it.
    /// - Throws: The error of SQLite; nothing is stored then.
    func storingTransaction(
        at now: Int64,
        _ body: () throws(DiskCacheError) -> Void
    ) throws(DiskCacheError) {
        do throws(DiskCacheError) {
            try self.database.transaction(body)
        } catch  where error.isFull {
            try? self.giveWay(at: now)
            throw error
        }
    }

    private func giveWay(at now: Int64) throws(DiskCacheError) {
        let count = try self.byteCount()
        // Of an empty cache the file may still be large.
        guard count > 0 else { return try self.empty() }
        try self.makeRoom(at: now, maximum: count / 8 * 7)
    }

    /// Removes everything, and gives its room back to the file system: that of removed files once every connection to
    /// them is closed.
    private func empty() throws(DiskCacheError) {
        do throws(DiskCacheError) {
            try self.database.reset()
            try Self.prepare(self.database)
        } catch  where error.isFull {
            try self.database.removeFiles()
        }
    }
}
