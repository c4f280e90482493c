// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// Removes entries: a small one at once, a large one, which may be read in pieces at this moment, some time later.
///
/// Meanwhile it is hidden: it looks unfinished, has no URL, and is removed like what killed processes have left, once nobody
/// reads it. So nobody holds a transaction while the consumer of a body waits, which would let the log grow.
extension CacheDatabase {
    /// How long an unfinished entry is kept without a sign of life, in seconds.
    private static var longestPause: Int64 { 3600 }

    /// How long a hidden entry is kept at least, in seconds: its reader may not have protected it yet.
    private static var shortestHiding: Int64 { 300 }

    /// The size beyond which an entry may be one that is read in pieces.
    private static var largestSize: Database.Value { .integer(DiskCacheStore.largestCollectedBody) }

    /// When an entry that is hidden at a time seems to have been used, so that it is kept for a while.
    private static func used(at now: Int64) -> Database.Value {
        .integer(now - Self.longestPause + Self.shortestHiding)
    }

    /// Removes an entry, or hides it.
    func retire(_ id: UUID, at now: Int64) throws(DiskCacheError) {
        try self.removingTransaction { () throws(DiskCacheError) in
            if try self.hide(id, at: now) { return }
            try self.database.run("DELETE FROM entries WHERE id = ? AND url <> ''", [.bytes(id.array)])
        }
    }

    /// Hides a complete entry that may be one that is read in pieces.
    ///
    /// - Returns: Whether it is one.
    func hide(_ id: UUID, at now: Int64) throws(DiskCacheError) -> Bool {
        var isHidden = false
        try self.database.run(
            """
            UPDATE entries SET complete = 0, url = '', used = ? WHERE id = ? AND complete = 1 AND size > ? RETURNING 1
            """,
            [Self.used(at: now), .bytes(id.array), Self.largestSize]
        ) { _ in isHidden = true }
        return isHidden
    }

    /// Removes or hides the complete entries of a URL.
    func removeAll(for key: CacheKey, at now: Int64) throws(DiskCacheError) {
        try self.removingTransaction { () throws(DiskCacheError) in
            try self.database.run(
                "UPDATE entries SET complete = 0, url = '', used = ? WHERE url = ? AND complete = 1 AND size > ?",
                [Self.used(at: now), .text(key.text), Self.largestSize]
            )
            try self.database.run("DELETE FROM entries WHERE url = ? AND complete = 1", [.text(key.text)])
        }
    }

    /// Removes or hides the complete entries that another one replaces, within its transaction.
    func retireOthers(of entry: StoredResponse, at now: Int64) throws(DiskCacheError) {
        let others: [Database.Value] = [
            .text(entry.key.text), .text(entry.variant.text), .bytes(entry.id.array),
        ]
        try self.database.run(
            """
            UPDATE entries SET complete = 0, url = '', used = ?
                WHERE url = ? AND variant = ? AND id <> ? AND complete = 1 AND size > ?
            """,
            [Self.used(at: now)] + others + [Self.largestSize]
        )
        try self.database.run(
            "DELETE FROM entries WHERE url = ? AND variant = ? AND id <> ? AND complete = 1",
            others
        )
    }

    /// Removes or hides the least recently used variants of a URL beyond 64, within a transaction.
    func retireVariants(of key: CacheKey, at now: Int64) throws(DiskCacheError) {
        let latest = Database.Value.integer(Self.latestUse(at: now))
        try self.database.run(
            """
            UPDATE entries SET complete = 0, url = '', used = ?3 WHERE url = ?1 AND size > ?4 AND id IN
                (SELECT id FROM entries WHERE url = ?1 AND complete = 1
                    ORDER BY iif(used > ?2, 0, used) DESC, id LIMIT -1 OFFSET 64)
            """,
            [.text(key.text), latest, Self.used(at: now), Self.largestSize]
        )
        try self.database.run(
            """
            DELETE FROM entries WHERE url = ?1 AND id IN
                (SELECT id FROM entries WHERE url = ?1 AND complete = 1
                    ORDER BY iif(used > ?2, 0, used) DESC, id LIMIT -1 OFFSET 64)
            """,
            [.text(key.text), latest]
        )
    }

    /// Removes all complete entries, and the hidden ones, whoever reads them.
    func removeAll() throws(DiskCacheError) {
        try self.removing { () throws(DiskCacheError) in
            try self.database.run("DELETE FROM entries WHERE complete = 1 OR url = ''")
        }
    }

    /// Removes an entry at once, in any state, within a transaction or without one.
    func remove(_ id: UUID) throws(DiskCacheError) {
        try self.database.run("DELETE FROM entries WHERE id = ?", [.bytes(id.array)])
    }

    /// Removes unfinished entries without a new piece for an hour, whose processes have probably ended, and hidden ones
    /// that nobody reads; and those of an hour from now, from before the clock was set back.
    func removeLeftovers(at now: Int64) throws(DiskCacheError) {
        let spared = try self.readIdentifiers()
        try self.database.run(
            "DELETE FROM entries INDEXED BY entries_begun WHERE complete = 0 AND used < ? AND instr(?, id) = 0",
            [.integer(now - Self.longestPause), spared]
        )
        try self.database.run(
            "DELETE FROM entries INDEXED BY entries_begun WHERE complete = 0 AND used > ? AND instr(?, id) = 0",
            [.integer(now + Self.longestPause), spared]
        )
    }
}
