// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import CSQLite
public import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One connection to a SQLite database; used by one thread at a time.
struct Database: ~Copyable {
    private let handle: OpaquePointer

    /// How long a blocking connection waits for another process, in milliseconds; a write takes a few of them.
    private static var patience: Int32 { 2000 }

    private var isBlocking: Bool

    /// Opens a database, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The path of its file.
    ///   - isBlocking: Whether statements block the thread while another process holds the database, for two seconds at
    ///     most; otherwise they fail at once.
    /// - Throws: The error of SQLite.
    init(path: String, isBlocking: Bool = false) throws(DiskCacheError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw DiskCacheError(result)
        }
        self.handle = handle
        self.isBlocking = isBlocking
        sqlite3_busy_timeout(handle, isBlocking ? Self.patience : 0)
    }

    deinit { sqlite3_close_v2(self.handle) }

    /// Lets statements fail at once from now on while another process holds the database.
    mutating func stopBlocking() {
        self.isBlocking = false
        sqlite3_busy_timeout(self.handle, 0)
    }

    /// A value for a statement.
    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// The path of the file; nil for a database in memory.
    var path: String? {
        let path = sqlite3_db_filename(self.handle, "main").map { String(cString: $0) }
        return path == "" ? nil : path
    }

    /// Whether there is no file, or it was removed, moved or replaced since it was opened; SQLite goes on with the old
    /// one.
    var isOrphaned: Bool {
        guard self.path != nil else { return true }
        var hasMoved: Int32 = 0
        let result = sqlite3_file_control(self.handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return result == SQLITE_OK && hasMoved != 0
    }

    /// Runs statements without result rows.
    func execute(_ sql: String) throws(DiskCacheError) {
        let result = sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw DiskCacheError(result) }
    }

    /// Switches to write-ahead logging: readers never wait for a writer.
    ///
    /// This step does not wait by itself: SQLite refuses all but one of several connections that take it at once.
    func useWriteAheadLog() throws(DiskCacheError) {
        try Self.waiting(self.isBlocking) { () throws(DiskCacheError) in try self.execute("PRAGMA journal_mode=WAL") }
    }

    /// Repeats an operation that does not wait by itself, for two seconds at most while it finds the database busy.
    static func waiting<Result: ~Copyable>(
        _ isBlocking: Bool,
        _ body: () throws(DiskCacheError) -> Result
    ) throws(DiskCacheError) -> Result {
        let end = ContinuousClock.now + .milliseconds(Int(Self.patience))
        while true {
            do throws(DiskCacheError) {
                return try body()
            } catch {
                guard isBlocking, error.isBusy, ContinuousClock.now < end else { throw error }
                sqlite3_sleep(1)
            }
        }
    }

    /// Empties the database, without tables, however corrupt it is.
    ///
    /// The files are kept, because other connections have them open; those find no tables either.
    func reset() throws(DiskCacheError) {
        let result = bluebonnet_sqlite3_reset(self.handle)
        guard result == SQLITE_OK else { throw DiskCacheError(result) }
    }

    /// Removes the files, where there is no room for the pages that ``reset()`` writes; this connection is orphaned then.
    ///
    /// The file is not emptied instead: a connection that reads at this moment would take what is missing for zeros,
    /// and the next one to be opened would remove the log of all.
    func removeFiles() throws(DiskCacheError) {
        guard let path = self.path else { return }
        let lock = try FolderLock(ofFile: path, isExclusive: true)
        // Nobody writes meanwhile what would be lost.
        try self.transaction { () throws(DiskCacheError) in
            // They may belong to a new database already.
            guard !self.isOrphaned else { return }
            for name in [path + "-wal", path + "-shm", path + BodyLock.suffix, path] {
                guard unlink(name) == 0 || errno == ENOENT else {
                    throw DiskCacheError(reason: "a file cannot be removed: \(SystemError.text(of: errno))")
                }
            }
        }
        _ = consume lock
    }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: The values for its question marks.
    ///   - row: Called for each row.
    /// - Throws: The error of SQLite.
    func run(_ sql: StaticString, _ values: [Value] = [], row: (Row) -> Void = { _ in }) throws(DiskCacheError) {
        var statement: OpaquePointer?
        let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        let prepared = sqlite3_prepare_v2(self.handle, text, Int32(sql.utf8CodeUnitCount), &statement, nil)
        guard prepared == SQLITE_OK, let statement else { throw DiskCacheError(prepared) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let result = Self.bind(value, Int32(index + 1), statement)
            guard result == SQLITE_OK else { throw DiskCacheError(result) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: row(Row(statement: statement))
            case SQLITE_DONE: return
            case let result: throw DiskCacheError(result)
            }
        }
    }

    /// Runs several statements atomically.
    func transaction(_ body: () throws(DiskCacheError) -> Void) throws(DiskCacheError) {
        try self.execute("BEGIN IMMEDIATE")
        do {
            try body()
            try self.execute("COMMIT")
        } catch {
            try? self.execute("ROLLBACK")
            throw error
        }
    }

    /// The current row of a result.
    struct Row {
        fileprivate let statement: OpaquePointer

        /// The number in a column.
        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self.statement, column) }

        /// The bytes in a column.
        func bytes(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(self.statement, column) else { return [] }
            let count = Int(sqlite3_column_bytes(self.statement, column))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// The text in a column.
        func text(_ column: Int32) -> String { String(decoding: self.bytes(column), as: UTF8.self) }
    }

    private static func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) -> Int32 {
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text): bluebonnet_sqlite3_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
        case .bytes(let bytes):
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : bytes.withUnsafeBytes {
                    bluebonnet_sqlite3_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count))
                }
        }
    }
}

/// An error of a disk cache's database.
public struct DiskCacheError: Error, Hashable, CustomStringConvertible {
    /// SQLite's result code; 0 for a fault outside SQLite.
    public let sqliteCode: Int

    /// The description of the error.
    public let reason: String

    init(_ code: Int32) {
        self.sqliteCode = Int(code)
        self.reason = String(cString: sqlite3_errstr(code))
    }

    /// The busy database of another connection.
    static let busy = Self(SQLITE_BUSY)

    init(reason: String) {
        self.sqliteCode = 0
        self.reason = reason
    }

    /// Whether the file is not a database, or a corrupt one.
    var isCorruption: Bool { self.sqliteCode == SQLITE_CORRUPT || self.sqliteCode == SQLITE_NOTADB }

    /// Whether a statement does not match the tables: another connection is recreating the database, and has not
    /// created them yet.
    var isSchemaFault: Bool { self.sqliteCode == SQLITE_ERROR || self.sqliteCode == SQLITE_SCHEMA }

    /// Whether the file system has no room.
    var isFull: Bool { self.sqliteCode == SQLITE_FULL }

    /// Whether another connection holds the database.
    var isBusy: Bool { self.sqliteCode == SQLITE_BUSY }

    /// The error in a sentence.
    public var description: String { "the disk cache failed: \(self.reason)" }
}

extension DiskCacheError: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
