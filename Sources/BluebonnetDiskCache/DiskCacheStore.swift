// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetTransport
public import FoundationEssentials
import NIOCore
import Synchronization

/// Keeps responses in a folder, up to a number of bytes; the least recently used are removed first.
///
/// The folder holds a SQLite database. Several stores, in one process or in many, may use the same folder at once. A process that is killed at any
/// moment leaves no half response: a response is found once its last byte is written, and what a killed process had begun is
/// removed an hour later, when a store is opened or a response stored. A database that is broken is made anew, empty, as soon as that shows. If the folder
/// is removed, moved or replaced, the next operation uses what is there then, and creates it if it is missing. Of one URL the store keeps 64 variants at most.
///
/// A large body is read in pieces. One that is replaced or invalidated meanwhile, or has to make room, by any process, can no
/// longer be found, and can be read to its end, however slowly. It may exceed ``maximumByteCount``. All such bodies together
/// may have ``maximumByteCount`` bytes again; beyond that, a process removes the one whose reader is oldest, of its own
/// readers first. ``removeAll()`` removes everything at once. The reader then gets a ``DiskCacheError``, and never an
/// incomplete body. A file beside the database holds a lock for each reader (`F_OFD_SETLK`). On a system without
/// such locks, another process removes such a body after five minutes, or when it needs room. Readers hold no transaction,
/// so the log beside the database stays small however slow they are.
///
/// While another process keeps the database busy, for example because it was stopped, responses are found and not stored. What
/// this store invalidates meanwhile is no longer found here, and is removed once the other process is done; until then, and if
/// this process ends before, other processes may reuse it.
///
/// While the file system is full, a response that does not fit is not stored, and an eighth of what is stored is
/// removed. Removing needs a little room, too: where there is none, everything is removed, so that nothing is reused
/// that was invalidated. Other processes give back the room of removed files with their next operation.
///
/// Only their owner can read folder and files: bodies are stored unencrypted. What others change in the files is
/// noticed only if it breaks the database: there are no checksums of the bodies.
public final class DiskCacheStore: LibraryCacheStore {
    /// The largest body that is read at once.
    static let largestCollectedBody: Int64 = 256 * 1024

    /// The largest number of large bodies that are read at a time; beyond it a body counts as not stored.
    private static let largestReaderCount = 32

    /// The number of bytes that the store holds at most, besides bodies that are read although they had to make room.
    public let maximumByteCount: Int

    private let directory: URL
    let clock: WallClock
    let database: Mutex<CacheDatabase>

    /// Changes that are made, in their order, before any other operation; its lock may be taken while that of the
    /// database is held.
    let deferred = Mutex(DeferredChanges())

    /// Reading has to wait only where another process opens or repairs the database, whoever writes.
    let busyReading = BusyDatabase()
    let busyWriting = BusyDatabase()

    private let readerCount = Atomic(0)

    /// Opens a store, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: The folder; it is created if it does not exist.
    ///   - maximumByteCount: The number of bytes that it holds at most, heads and bodies: 256 MiB by default. The files
    ///     take a little more.
    /// - Throws: ``DiskCacheError`` if the folder or its files cannot be created or opened. If another process creates
    ///   them at this moment, the thread is blocked for two seconds at most.
    public convenience init(at directory: URL, maximumByteCount: Int = 256 * 1024 * 1024) throws(DiskCacheError) {
        try self.init(at: directory, maximumByteCount: maximumByteCount, clock: .system)
    }

    package init(at directory: URL, maximumByteCount: Int, clock: WallClock) throws(DiskCacheError) {
        self.maximumByteCount = max(maximumByteCount, 0)
        self.clock = clock
        self.directory = directory
        var database = try CacheDatabase(path: try CacheFolder.prepare(directory), isBlocking: true)
        try database.repairing { database throws(DiskCacheError) in try database.check() }
        database.stopBlocking()
        self.database = Mutex(database)
        self.tidyUp()
    }

    /// The number of bytes that are stored, heads and bodies, including those that can no longer be found but are read.
    ///
    /// - Throws: ``DiskCacheError``.
    public func byteCount() throws(DiskCacheError) -> Int {
        try self.withDatabase(writes: false) { database throws(DiskCacheError) in try database.byteCount() }
    }

    @concurrent public func responses(for key: CacheKey) async throws -> [StoredResponse] {
        try await self.read { database throws(DiskCacheError) in
            self.deferred.withLock { $0.invalidates(key) } ? [] : try database.responses(for: key)
        }
    }

    @concurrent public func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? {
        let range = range ?? 0..<response.bodyByteCount
        guard range.count <= Self.largestCollectedBody else { return try await self.streamedBody(of: response, range) }
        let now = self.clock.now
        return try await self.read { database throws(DiskCacheError) in
            guard try database.use(response.id, at: now) else { return nil }
            var pieces = PieceReader(response.id, range)
            var bytes = ByteBuffer()
            while let piece = try pieces.next(database) { bytes.writeBytes(piece) }
            // An entry that another process removes between two pieces is incomplete.
            return bytes.readableBytes == range.count ? ResponseBody(bytes) : nil
        }
    }

    /// Returns a body that is read in pieces, over its own connection.
    private func streamedBody(of response: StoredResponse, _ range: Range<Int64>) async throws -> ResponseBody? {
        guard self.readerCount.add(1, ordering: .relaxed).newValue <= Self.largestReaderCount else {
            self.readerCount.subtract(1, ordering: .relaxed)
            return nil
        }
        let clock = self.clock
        let reader = DiskCacheReader(PieceReader(response.id, range), length: Int64(range.count)) { [self] in
            // Removing it meets the corruption again, and repairs the database.
            self.discard(response)
        } onEnd: { [self] in
            self.readerCount.subtract(1, ordering: .relaxed)
            self.schedule(.makeRoom(at: clock.now))
        }
        let now = self.clock.now
        let isThere = try await self.read { database throws(DiskCacheError) in
            try database.use(response.id, at: now)
        }
        guard isThere, try await reader.open(CacheFolder.path(in: self.directory)) else { return nil }
        return ResponseBody(source: reader, expectedLength: Int64(range.count))
    }

    public func makeWriter(for response: StoredResponse) async throws -> any CacheWriter {
        DiskCacheWriter(response, self)
    }

    @concurrent public func update(_ response: StoredResponse) async throws {
        let (now, maximum) = (self.clock.now, self.maximumByteCount)
        try await self.write { database throws(DiskCacheError) in
            try database.update(response, at: now, maximum: maximum)
        }
    }

    @concurrent public func remove(_ response: StoredResponse) async throws {
        let now = self.clock.now
        try await self.write { database throws(DiskCacheError) in try database.retire(response.id, at: now) }
    }

    @concurrent public func removeAll(for key: CacheKey) async throws {
        try await self.invalidate(key)
    }

    @concurrent public func removeAll() async throws {
        try await self.write { database throws(DiskCacheError) in try database.removeAll() }
    }

    // MARK: A removed folder

    /// Opens the database anew if its file was removed or replaced: what was deleted must not be reused, and what other
    /// processes invalidate is in the new file.
    ///
    /// - Throws: ``DiskCacheError``; busy if another process creates the file at this moment.
    func reopenIfOrphaned(_ database: inout CacheDatabase) throws(DiskCacheError) {
        guard database.isOrphaned else { return }
        // The new file may need the room of the old one.
        try database.close()
        database = try CacheDatabase(path: try CacheFolder.prepare(self.directory))
    }

    /// Whether the file was removed, and nobody has created it again.
    func isRemoved(_ database: borrowing CacheDatabase) -> Bool {
        database.isOrphaned && !FileManager.default.fileExists(atPath: CacheFolder.path(in: self.directory))
    }

    // MARK: For the writer

    @concurrent func add(_ pieces: [[UInt8]], from number: Int64, to response: StoredResponse) async throws {
        let now = self.clock.now
        try await self.write { database throws(DiskCacheError) in
            try database.add(pieces, from: number, to: response, at: now)
        }
    }

    @concurrent func complete(_ response: StoredResponse, _ pieces: [[UInt8]], from number: Int64) async throws {
        let now = self.clock.now
        let maximum = self.maximumByteCount
        try await self.write { database throws(DiskCacheError) in
            try database.complete(response, pieces, from: number, at: now, maximum: maximum)
        }
    }

    /// Completes an entry as a whole or as a part, asynchronously.
    func keep(_ response: StoredResponse, _ pieces: [[UInt8]], from number: Int64) {
        self.schedule(.keepPart(response, pieces, from: number, at: self.clock.now))
    }

    /// Removes an unfinished entry, asynchronously.
    func discard(_ response: StoredResponse) {
        self.schedule(.discard(response))
    }
}

extension ResponseCache {
    /// A cache in a folder.
    ///
    /// ```swift
    /// configuration.cache = try .disk(at: folder, maximumByteCount: 256 << 20)
    /// ```
    ///
    /// - Parameters:
    ///   - directory: The folder; it is created if it does not exist.
    ///   - maximumByteCount: The number of bytes that it holds at most, heads and bodies: 256 MiB by default.
    /// - Returns: The cache, with the responses stored there before.
    /// - Throws: ``DiskCacheError`` if the folder or its files cannot be created or opened.
    public static func disk(
        at directory: URL,
        maximumByteCount: Int = 256 * 1024 * 1024
    ) throws(DiskCacheError) -> ResponseCache {
        ResponseCache(store: try DiskCacheStore(at: directory, maximumByteCount: maximumByteCount))
    }
}
