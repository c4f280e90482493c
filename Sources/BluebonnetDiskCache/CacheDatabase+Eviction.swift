// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// Makes room.
///
/// A body that this process reads is hidden instead of removed, and what is hidden and read does not count against the
/// maximum, up to as many bytes again.
extension CacheDatabase {
    /// The hidden entries that this process reads.
    private struct Spared {
        var entries: [(id: UUID, byteCount: Int)] = []
        var byteCount: Int { self.entries.reduce(0) { $0 + $1.byteCount } }
        /// All identifiers in one value, for `instr`.
        var identifiers: Database.Value { .bytes(self.entries.flatMap(\.id.array)) }
    }

    /// Makes room after a reader has ended.
    func makeRoom(at now: Int64, maximum: Int) throws(DiskCacheError) {
        guard try self.byteCount() > maximum else { return }
        try self.removingTransaction { () throws(DiskCacheError) in try self.shrink(to: maximum, at: now) }
    }

    /// Removes the least recently used entries, until at most a number of bytes is left, and hidden bodies that are read.
    ///
    /// - Parameters:
    ///   - maximum: The number of bytes.
    ///   - now: The time.
    ///   - newest: The entry that has just been completed, which is removed last.
    /// - Throws: ``DiskCacheError``.
    func shrink(to maximum: Int, at now: Int64, sparing newest: UUID? = nil) throws(DiskCacheError) {
        guard try self.byteCount() > maximum else { return }
        let pinned = BodyPin.all
        var spared = Spared()
        for id in pinned {
            if let byteCount = try self.hiddenByteCount(of: id) { spared.entries.append((id, byteCount)) }
        }
        try self.limit(&spared, to: maximum)
        while try self.byteCount() > maximum + spared.byteCount {
            guard let id = try self.leastRecentlyUsed(besides: newest, spared, at: now) else {
                guard let newest else { return }
                return try self.remove(newest)
            }
            // From now on it is kept as long as one that was replaced.
            if pinned.contains(id), try self.hide(id, at: now), let byteCount = try self.hiddenByteCount(of: id) {
                spared.entries.append((id, byteCount))
                spared.entries.sort { pinned.firstIndex(of: $0.id) ?? 0 < pinned.firstIndex(of: $1.id) ?? 0 }
                try self.limit(&spared, to: maximum)
            } else {
                try self.remove(id)
            }
        }
    }

    /// Removes the hidden bodies whose readers are oldest, until the others have at most a number of bytes.
    private func limit(_ spared: inout Spared, to maximum: Int) throws(DiskCacheError) {
        while spared.byteCount > maximum { try self.remove(spared.entries.removeFirst().id) }
    }

    /// The size of an entry if it is hidden; bounded, so that no sum overflows if the file was altered.
    private func hiddenByteCount(of id: UUID) throws(DiskCacheError) -> Int? {
        var byteCount: Int?
        try self.database.run(
            "SELECT size FROM entries WHERE id = ? AND complete = 0 AND url = ''",
            [.bytes(id.array)]
        ) { byteCount = Int(min(max($0.integer(0), 0), 1 << 50)) }
        return byteCount
    }

    /// Of the entries that were used in the same minute, the oldest; those used in the future before all others.
    private func leastRecentlyUsed(
        besides newest: UUID?,
        _ spared: Spared,
        at now: Int64
    ) throws(DiskCacheError) -> UUID? {
        var found: UUID?
        // The index finds the first of each range, and an expression to order by would search all entries.
        for earliest in [Self.latestUse(at: now) + 1, Int64.min] where found == nil {
            try self.database.run(
                "SELECT id FROM entries WHERE used >= ? AND id <> ? AND instr(?, id) = 0 ORDER BY used LIMIT 1",
                [.integer(earliest), .bytes(newest?.array ?? []), spared.identifiers]
            ) { found = UUID(bytes: $0.bytes(0)) }
        }
        return found
    }
}
