// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluebonnet
public import BluebonnetTransport
public import FoundationEssentials
import NIOCore
import Synchronization

/// Keeps responses in a folder, up to a number of bytes; what was not used for longest goes first.
///
/// The folder holds a SQLite database. Several stores, in one process or in many, may use the same folder at once. A process that is killed at any
/// moment leaves no half response: a response is found once its last byte is written, and what a killed process had begun is
/// removed an hour later. A database that is broken is made anew, empty. Of one URL the store keeps 64 variants at most.
///
/// Folder and files can be read by their owner alone: bodies are stored as they are.
public final class DiskCacheStore: CacheStore {
    /// A larger body is not read at once.
    private static let largestCollectedBody: Int64 = 256 * 1024

    /// The number of large bodies that are read at a time; one more counts as not stored.
    private static let largestReaderCount = 32

    /// The number of bytes that the store holds at most.
    public let maximumByteCount: Int

    private let path: String
    private let clock: WallClock
    private let database: Mutex<CacheDatabase>
    private let readerCount = Atomic(0)

    /// Opens a store, and makes it if it is not there.
    ///
    /// - Parameters:
    ///   - directory: The folder; it is made if it is not there.
    ///   - maximumByteCount: The number of bytes that it holds at most, heads and bodies. The files take a little more.
    /// - Throws: ``DiskCacheError`` if the folder or its files cannot be made or opened.
    public convenience init(directory: URL, maximumByteCount: Int) throws(DiskCacheError) {
        try self.init(directory: directory, maximumByteCount: maximumByteCount, clock: .system)
    }

    package init(directory: URL, maximumByteCount: Int, clock: WallClock) throws(DiskCacheError) {
        self.maximumByteCount = max(maximumByteCount, 0)
        self.clock = clock
        self.path = try CacheFolder.prepare(directory)
        let database: CacheDatabase
        do {
            database = try CacheDatabase(path: self.path)
        } catch  where error.isCorruption {
            CacheFolder.removeDatabase(self.path)
            database = try CacheDatabase(path: self.path)
        }
        try database.removeLeftovers(at: clock.now)
        try database.shrink(to: self.maximumByteCount)
        self.database = Mutex(database)
    }

    /// The number of bytes that are stored, heads and bodies.
    ///
    /// - Throws: ``DiskCacheError``.
    public func byteCount() throws(DiskCacheError) -> Int {
        try self.database.withLock { database throws(DiskCacheError) in try database.byteCount() }
    }

    @concurrent public func responses(for key: CacheKey) async throws -> [StoredResponse] {
        try self.database.withLock { try $0.responses(for: key) }
    }

    @concurrent public func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? {
        let range = range ?? 0..<response.bodyByteCount
        guard range.count <= Self.largestCollectedBody else { return try self.streamedBody(of: response, range) }
        let now = self.clock.now
        return try self.database.withLock { database in
            guard try database.use(response.id, at: now) else { return nil }
            var pieces = PieceReader(response.id, range)
            var bytes = ByteBuffer()
            while let piece = try pieces.next(database) { bytes.writeBytes(piece) }
            // An entry that is removed by another process between two pieces is not whole.
            return bytes.readableBytes == range.count ? ResponseBody(bytes) : nil
        }
    }

    /// A body that is read piece by piece, from a connection of its own: what others remove meanwhile stays visible to it.
    private func streamedBody(of response: StoredResponse, _ range: Range<Int64>) throws -> ResponseBody? {
        guard self.readerCount.add(1, ordering: .relaxed).newValue <= Self.largestReaderCount else {
            self.readerCount.subtract(1, ordering: .relaxed)
            return nil
        }
        let reader = DiskCacheReader(PieceReader(response.id, range), length: Int64(range.count)) { [self] in
            self.readerCount.subtract(1, ordering: .relaxed)
        }
        let now = self.clock.now
        guard try self.database.withLock({ try $0.use(response.id, at: now) }), try reader.open(self.path) else {
            return nil
        }
        return ResponseBody(source: reader, expectedLength: Int64(range.count))
    }

    public func makeWriter(for response: StoredResponse) async throws -> any CacheWriter {
        DiskCacheWriter(response, self)
    }

    @concurrent public func update(_ response: StoredResponse) async throws {
        try self.database.withLock { try $0.update(response) }
    }

    @concurrent public func remove(_ response: StoredResponse) async throws {
        try self.database.withLock { try $0.remove(response.id) }
    }

    @concurrent public func removeAll(for key: CacheKey) async throws {
        try self.database.withLock { try $0.removeAll(for: key) }
    }

    @concurrent public func removeAll() async throws {
        try self.database.withLock { try $0.removeAll() }
    }

    // MARK: For the writer

    @concurrent func add(_ pieces: [[UInt8]], from number: Int64, to response: StoredResponse) async throws {
        let now = self.clock.now
        try self.database.withLock { try $0.add(pieces, from: number, to: response, at: now) }
    }

    @concurrent func complete(_ response: StoredResponse, _ pieces: [[UInt8]], from number: Int64) async throws {
        let now = self.clock.now
        let maximum = self.maximumByteCount
        try self.database.withLock { try $0.complete(response, pieces, from: number, at: now, maximum: maximum) }
    }

    /// Makes what a writer had begun an entry, whole or not.
    ///
    /// - Returns: Whether it is one.
    func keep(_ response: StoredResponse, _ pieces: [[UInt8]], from number: Int64) -> Bool {
        let now = self.clock.now
        do {
            try self.database.withLock {
                try $0.complete(response, pieces, from: number, at: now, maximum: self.maximumByteCount)
            }
            return true
        } catch {
            return false
        }
    }

    /// Removes what a writer had begun.
    func discard(_ response: StoredResponse) {
        try? self.database.withLock { try $0.remove(response.id) }
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
    ///   - directory: The folder; it is made if it is not there.
    ///   - maximumByteCount: The number of bytes that it holds at most, heads and bodies: 256 MiB unless given.
    /// - Returns: The cache, with what was stored there before.
    /// - Throws: ``DiskCacheError`` if the folder or its files cannot be made or opened.
    public static func disk(
        at directory: URL,
        maximumByteCount: Int = 256 * 1024 * 1024
    ) throws(DiskCacheError) -> ResponseCache {
        ResponseCache(store: try DiskCacheStore(directory: directory, maximumByteCount: maximumByteCount))
    }
}
