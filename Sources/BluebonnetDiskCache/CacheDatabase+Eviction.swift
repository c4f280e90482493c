// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// Makes room, in two transactions: the first hides large bodies, the second removes those that nobody reads.
///
/// A reader locks a body, and then looks whether it is hidden. So the second transaction either finds the lock, or the
/// reader finds the body hidden. What is hidden and read does not count against the maximum, up to as many bytes again.
extension CacheDatabase {
    /// The bodies that are being read, by this process or by others.
    private struct Readers: ~Copyable {
        /// Those of this process, the one whose reader is oldest first.
        private let own = BodyPin.all
        private let locks: BodyLock?

        init(_ path: String?) { self.locks = path.map { BodyLock(besideDatabase: $0) } }

        func contains(_ id: UUID) -> Bool { self.own.contains(id) || self.locks?.isLocked(id) ?? false }

        /// The place of a body in the order of removal, that of another process behind all others.
        func rank(_ id: UUID) -> Int { self.own.firstIndex(of: id) ?? self.own.endIndex }
    }

    /// Makes room.
    func makeRoom(at now: Int64, maximum: Int) throws(DiskCacheError) {
        guard try self.byteCount() > maximum else { return }
        try self.removingTransaction { () throws(DiskCacheError) in try self.retireOldest(to: maximum, at: now) }
        try self.removeUnread(to: maximum)
    }

    /// Removes or hides the least recently used entries, until what is not hidden has at most a number of bytes; within a
    /// transaction, which ``removeUnread(to:)`` must follow.
    ///
    /// - Parameters:
    ///   - maximum: The number of bytes.
    ///   - now: The time.
    ///   - newest: The entry that has just been completed, which is removed last.
    /// - Throws: ``DiskCacheError``.
    func retireOldest(to maximum: Int, at now: Int64, sparing newest: UUID? = nil) throws(DiskCacheError) {
        var excess = try self.byteCount() - maximum
        guard excess > 0 else { return }
        for body in try self.hiddenBodies() { excess -= body.byteCount }
        while excess > 0 {
            guard let oldest = try self.leastRecentlyUsed(besides: newest, at: now) else {
                if let newest { try self.hideOrRemove(newest, at: now) }
                return
            }
            try self.hideOrRemove(oldest.id, at: now)
            excess -= oldest.byteCount
        }
    }

    /// Removes the hidden bodies that nobody reads if the entries have more than a number of bytes; and of those that are
    /// read, which may have as many bytes again, the ones whose readers are oldest.
    func removeUnread(to maximum: Int) throws(DiskCacheError) {
        guard try self.byteCount() > maximum else { return }
        try self.removingTransaction { () throws(DiskCacheError) in
            let readers = Readers(self.database.path)
            var read: [Body] = []
            for body in try self.hiddenBodies() {
                if readers.contains(body.id) { read.append(body) } else { try self.remove(body.id) }
            }
            read.sort { readers.rank($0.id) < readers.rank($1.id) }
            var byteCount = read.reduce(0) { $0 + $1.byteCount }
            for body in read where byteCount > maximum {
                try self.remove(body.id)
                byteCount -= body.byteCount
            }
        }
    }

    /// The identifiers of the hidden bodies that are read, in one value, for `instr`.
    func readIdentifiers() throws(DiskCacheError) -> Database.Value {
        let hidden = try self.hiddenBodies()
        guard !hidden.isEmpty else { return .bytes([]) }
        let readers = Readers(self.database.path)
        var identifiers: [UInt8] = []
        for body in hidden where readers.contains(body.id) { identifiers += body.id.array }
        return .bytes(identifiers)
    }

    private func hideOrRemove(_ id: UUID, at now: Int64) throws(DiskCacheError) {
        if try !self.hide(id, at: now) { try self.remove(id) }
    }

    // MARK: Searching

    private typealias Body = (id: UUID, byteCount: Int)

    /// The hidden bodies, the one that was hidden first in front.
    private func hiddenBodies() throws(DiskCacheError) -> [Body] {
        var bodies: [Body] = []
        try self.database.run(
            "SELECT id, size FROM entries INDEXED BY entries_begun WHERE complete = 0 AND url = '' ORDER BY used"
        ) { if let body = Self.entry($0) { bodies.append(body) } }
        return bodies
    }

    /// Of the entries that are not hidden and were used in the same minute, the oldest; those used in the future before all
    /// others.
    private func leastRecentlyUsed(besides newest: UUID?, at now: Int64) throws(DiskCacheError) -> Body? {
        var found: Body?
        // The index finds the first of each range, and an expression to order by would search all entries.
        for earliest in [Self.latestUse(at: now) + 1, Int64.min] where found == nil {
            try self.database.run(
                "SELECT id, size FROM entries WHERE used >= ? AND id <> ? AND url <> '' ORDER BY used LIMIT 1",
                [.integer(earliest), .bytes(newest?.array ?? [])]
            ) { found = Self.entry($0) }
        }
        return found
    }

    /// The entry of a row; its size is bounded, so that no sum overflows if the file was altered.
    private static func entry(_ row: Database.Row) -> Body? {
        UUID(bytes: row.bytes(0)).map { ($0, Int(min(max(row.integer(1), 0), 1 << 40))) }
    }
}
