// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// The tables of a disk cache, and the statements on them.
///
/// An entry is complete or being written; its body is stored in pieces. Triggers maintain the sum of all sizes, so that
/// nothing has to be counted.
struct CacheDatabase: ~Copyable {
    private(set) var database: Database

    /// Opens the database, and creates its tables if they are missing; a corrupt database is replaced by an empty one.
    ///
    /// - Parameters:
    ///   - path: The path of its file.
    ///   - isBlocking: Whether its statements wait for other processes; see ``Database/init(path:isBlocking:)``.
    /// - Throws: The error of SQLite.
    init(path: String, isBlocking: Bool = false) throws(DiskCacheError) {
        let lock = try Database.waiting(isBlocking) { () throws(DiskCacheError) in try FolderLock(ofFile: path) }
        let database = try Database(path: path, isBlocking: isBlocking)
        try Self.repairing(database) { database throws(DiskCacheError) in try Self.prepare(database) }
        self.database = database
        _ = consume lock
    }

    /// Lets statements fail at once from now on while another process holds the database.
    mutating func stopBlocking() { self.database.stopBlocking() }

    /// Whether the file was closed, or removed, moved or replaced since it was opened.
    var isOrphaned: Bool { self.database.isOrphaned }

    /// Closes the file, which gives back the room of one that was removed; only opening another one may follow.
    mutating func close() throws(DiskCacheError) { self.database = try Database(path: ":memory:") }

    static func prepare(_ database: borrowing Database) throws(DiskCacheError) {
        try database.useWriteAheadLog()
        // After a power failure the last commits may be lost, but the database is consistent.
        try database.execute("PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=4194304;")
        var version: Int64 = 0
        try database.run("PRAGMA user_version") { version = $0.integer(0) }
        if version != 1 { try Self.makeTables(in: database) }
    }

    private static func makeTables(in database: borrowing Database) throws(DiskCacheError) {
        try database.transaction { () throws(DiskCacheError) in
            try database.execute(
                """
                CREATE TABLE IF NOT EXISTS entries (
                    id BLOB PRIMARY KEY, url TEXT NOT NULL, variant TEXT NOT NULL, head BLOB NOT NULL,
                    size INTEGER NOT NULL, used INTEGER NOT NULL, complete INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS entries_url ON entries (url, complete);
                CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
                CREATE INDEX IF NOT EXISTS entries_begun ON entries (used) WHERE complete = 0;
                CREATE TABLE IF NOT EXISTS pieces (
                    entry BLOB NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (entry, number)
                );
                CREATE TABLE IF NOT EXISTS total (size INTEGER NOT NULL);
                INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total);
                CREATE TRIGGER IF NOT EXISTS entry_added AFTER INSERT ON entries
                    BEGIN UPDATE total SET size = size + new.size; END;
                CREATE TRIGGER IF NOT EXISTS entry_changed AFTER UPDATE OF size ON entries
                    BEGIN UPDATE total SET size = size + new.size - old.size; END;
                CREATE TRIGGER IF NOT EXISTS entry_removed AFTER DELETE ON entries BEGIN
                    UPDATE total SET size = size - old.size;
                    DELETE FROM pieces WHERE entry = old.id;
                END;
                PRAGMA user_version=1;
                """
            )
        }
    }

    // MARK: Damage

    /// Reads a little of each table, to detect corruption that opening does not.
    func check() throws(DiskCacheError) {
        try self.database.run("SELECT head FROM entries ORDER BY used LIMIT 1")
        try self.database.run("SELECT length(bytes) FROM pieces LIMIT 1")
    }

    /// Performs an operation; if it meets corruption, empties the database and performs it again.
    func repairing<Result>(
        _ body: (borrowing CacheDatabase) throws(DiskCacheError) -> Result
    ) throws(DiskCacheError) -> Result {
        try Self.repairing(self.database) { _ throws(DiskCacheError) in try body(self) }
    }

    private static func repairing<Result>(
        _ database: borrowing Database,
        _ body: (borrowing Database) throws(DiskCacheError) -> Result
    ) throws(DiskCacheError) -> Result {
        // Several attempts: other connections that meet the corruption also recreate the database, each of which is
        // without tables for a moment.
        for _ in 0..<4 {
            do throws(DiskCacheError) {
                return try body(database)
            } catch  where error.isCorruption || error.isSchemaFault {
                if error.isCorruption { try database.reset() }
                do throws(DiskCacheError) {
                    try Self.prepare(database)
                } catch  where error.isBusy {
                    // The tables come once the other connection is done.
                    throw error
                } catch {
                    // It occurs below as well.
                }
            }
        }
        return try body(database)
    }

    // MARK: Reading

    /// The complete entries of a URL.
    func responses(for key: CacheKey) throws(DiskCacheError) -> [StoredResponse] {
        var responses: [StoredResponse] = []
        try self.database.run("SELECT id, head FROM entries WHERE url = ? AND complete = 1", [.text(key.text)]) { row in
            if let response = Self.response(row, key) { responses.append(response) }
        }
        return responses
    }

    /// The entry whose identifier and head a row holds; nil if the row is damaged.
    private static func response(_ row: Database.Row, _ key: CacheKey) -> StoredResponse? {
        UUID(bytes: row.bytes(0)).flatMap { StoredResponse(encoded: row.bytes(1), id: $0, key: key) }
    }

    /// The latest time of use that is taken for one: what is later is from before the clock was set back, and counts as
    /// the oldest.
    static func latestUse(at now: Int64) -> Int64 { now + 60 }

    /// Whether there is a complete entry, which is then marked as used at a time.
    func use(_ id: UUID, at now: Int64) throws(DiskCacheError) -> Bool {
        var used: Int64?
        try self.database.run("SELECT used FROM entries WHERE id = ? AND complete = 1", [.bytes(id.array)]) {
            used = $0.integer(0)
        }
        guard let used else { return false }
        // To the minute: a write for every reuse would cost more than the order is worth. No difference is calculated,
        // because an altered file may hold any number.
        if used <= now - 60 || used > Self.latestUse(at: now) {
            do throws(DiskCacheError) {
                try self.database.run("UPDATE entries SET used = ? WHERE id = ?", [.integer(now), .bytes(id.array)])
            } catch  where error.isBusy {
                // Reading does not wait for a process that writes; the next use is marked.
            }
        }
        return true
    }

    /// Whether there is a complete entry.
    func isComplete(_ id: UUID) throws(DiskCacheError) -> Bool {
        var isThere = false
        try self.database.run("SELECT 1 FROM entries WHERE id = ? AND complete = 1", [.bytes(id.array)]) { _ in
            isThere = true
        }
        return isThere
    }

    /// Whether there is an entry, hidden or not.
    func contains(_ id: UUID) throws(DiskCacheError) -> Bool {
        var isThere = false
        try self.database.run("SELECT 1 FROM entries WHERE id = ?", [.bytes(id.array)]) { _ in isThere = true }
        return isThere
    }

    /// A piece of a body; nil after the last one.
    func piece(_ number: Int64, of id: UUID) throws(DiskCacheError) -> [UInt8]? {
        var bytes: [UInt8]?
        try self.database.run(
            "SELECT bytes FROM pieces WHERE entry = ? AND number = ?",
            [.bytes(id.array), .integer(number)]
        ) { bytes = $0.bytes(0) }
        return bytes
    }

    // MARK: Writing

    /// Adds pieces to an entry that is being written, and creates the entry the first time.
    func add(_ pieces: [[UInt8]], from number: Int64, to entry: StoredResponse, at now: Int64) throws(DiskCacheError) {
        try self.storingTransaction(at: now) { () throws(DiskCacheError) in
            try self.write(pieces, from: number, to: entry, at: now)
        }
    }

    /// Adds the last pieces, and makes the entry replace the others of its key and variant; then forgets what is too much, and what is left over.
    ///
    /// An entry that is worth less than what is stored is removed instead.
    func complete(
        _ entry: StoredResponse,
        _ pieces: [[UInt8]],
        from number: Int64,
        at now: Int64,
        maximum: Int
    ) throws(DiskCacheError) {
        try self.storingTransaction(at: now) { () throws(DiskCacheError) in
            if try self.isWorthLess(entry) { return try self.remove(entry.id) }
            try self.write(pieces, from: number, to: entry, at: now)
            try self.retireOthers(of: entry, at: now)
            try self.database.run(
                "UPDATE entries SET complete = 1, head = ? WHERE id = ?",
                [.bytes(entry.encoded), .bytes(entry.id.array)]
            )
            try self.retireVariants(of: entry.key, at: now)
            try self.removeLeftovers(at: now)
            try self.retireOldest(to: maximum, at: now, sparing: entry.id)
        }
        // If another process has begun to write, the next change makes room.
        try? self.removeUnread(to: maximum)
    }

    /// Whether an entry must not replace the one that is stored for its key and variant.
    private func isWorthLess(_ entry: StoredResponse) throws(DiskCacheError) -> Bool {
        var isWorthLess = false
        try self.database.run(
            "SELECT id, head FROM entries WHERE url = ? AND variant = ? AND id <> ? AND complete = 1",
            [.text(entry.key.text), .text(entry.variant.text), .bytes(entry.id.array)]
        ) { row in
            guard let stored = Self.response(row, entry.key), entry.isWorthLess(than: stored) else { return }
            isWorthLess = true
        }
        return isWorthLess
    }

    private func write(
        _ pieces: [[UInt8]],
        from number: Int64,
        to entry: StoredResponse,
        at now: Int64
    ) throws(DiskCacheError) {
        let id = Database.Value.bytes(entry.id.array)
        if number == 0 {
            try self.database.run(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, 0)",
                [
                    id, .text(entry.key.text), .text(entry.variant.text), .bytes(entry.encoded),
                    .integer(Int64(entry.headByteCount)), .integer(now),
                ]
            )
        }
        var count = 0
        for (index, piece) in pieces.enumerated() {
            try self.database.run(
                "INSERT INTO pieces VALUES (?, ?, ?)",
                [id, .integer(number + Int64(index)), .bytes(piece)]
            )
            count += piece.count
        }
        var isThere = false
        try self.database.run(
            "UPDATE entries SET size = size + ?, used = ? WHERE id = ? RETURNING 1",
            [.integer(Int64(count)), .integer(now), id]
        ) { _ in isThere = true }
        guard isThere else { throw DiskCacheError(reason: "the entry was removed while it was written") }
    }

    /// Replaces the head of an entry; then forgets what is too much, because a head may have grown.
    func update(_ entry: StoredResponse, at now: Int64, maximum: Int) throws(DiskCacheError) {
        try self.storingTransaction(at: now) { () throws(DiskCacheError) in
            try self.database.run(
                "UPDATE entries SET head = ?, variant = ?, size = ? WHERE id = ? AND complete = 1",
                [
                    .bytes(entry.encoded), .text(entry.variant.text),
                    .integer(Int64(entry.headByteCount) + entry.bodyByteCount), .bytes(entry.id.array),
                ]
            )
            try self.retireOldest(to: maximum, at: now, sparing: entry.id)
        }
        // If another process has begun to write, the next change makes room.
        try? self.removeUnread(to: maximum)
    }

    /// The number of bytes of all entries, including those that are being written.
    func byteCount() throws(DiskCacheError) -> Int {
        var count = 0
        try self.database.run("SELECT size FROM total") { count = Int($0.integer(0)) }
        return count
    }
}

extension UUID {
    /// The sixteen bytes.
    var array: [UInt8] { withUnsafeBytes(of: self.uuid) { Array($0) } }

    /// Creates an identifier from sixteen bytes; nil for any other number of them.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var value = UUID().uuid
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(uuid: value)
    }
}
