// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import CSQLite
import Foundation
import Synchronization
import Testing

@testable import BluebonnetDiskCache

/// A file system without room.
@Suite(.timeLimit(.minutes(2)), .bug(id: "F466")) struct DiskCacheFullTests: DiskCacheScene {
    @Test func `where there is no room to remove something, everything is removed`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            try await self.store([1], as: self.entry("a"), in: store)
            try store.database.withLock { database in
                try database.removing { () throws(DiskCacheError) in throw DiskCacheError(SQLITE_FULL) }
            }
            #expect(try store.byteCount() == 0)
            try await self.store([1], as: self.entry("a"), in: store)
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1])
        }
    }

    @Test(arguments: [20, 600_000])
    func `where there is no room even to empty the database, its files are removed for every store`(
        _ count: Int
    ) async throws {
        try await self.withFolder { folder in
            let stores = try (0..<2).map { _ in try DiskCacheStore(at: folder, maximumByteCount: 1 << 20) }
            let bytes = PatternBytes.bytes(count)
            try await self.store(bytes, as: self.entry("a"), in: stores[0])
            let found = try #require(try await stores[1].responses(for: self.entry("a").key).first)
            let body = try #require(try await stores[1].body(of: found, range: nil))
            try stores[0].database.withLock { try $0.database.removeFiles() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
            for store in stores {
                #expect(try await self.bytes(of: self.entry("a"), in: store) == nil)
                try await self.store(bytes, as: self.entry("b"), in: store)
            }
            #expect(try await self.bytes(of: self.entry("b"), in: stores[0]) == bytes)
            // What is being read at that moment is read to its end.
            #expect(Array(try await body.collect(upTo: 1 << 20).readableBytesView) == bytes)
        }
    }

    @Test(.bug(id: "F599"))
    func `the files are not removed while another connection opens the database, nor the other way round`() async throws
    {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            let path = CacheFolder.path(in: folder)
            for isExclusive in [false, true] {
                let lock = try FolderLock(ofFile: path, isExclusive: isExclusive)
                #expect(throws: DiskCacheError.busy) {
                    try store.database.withLock { try $0.database.removeFiles() }
                }
                do throws(DiskCacheError) {
                    _ = try CacheDatabase(path: path)
                    #expect(!isExclusive)
                } catch {
                    #expect(isExclusive && error == .busy)
                }
                _ = consume lock
            }
            #expect(!store.database.withLock { $0.isOrphaned })
        }
    }

    @Test func `a response without room is not stored, and makes room for what follows`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            for index in 0..<40 {
                try await self.store(PatternBytes.bytes(50_000), as: self.entry("\(index)"), in: store)
            }
            // The file cannot grow any more.
            try store.database.withLock { try $0.database.execute("PRAGMA max_page_count=1") }
            let error = await #expect(throws: DiskCacheError.self) {
                try await self.store(PatternBytes.bytes(100_000), as: self.entry("large"), in: store)
            }
            #expect(error?.isFull == true)
            let left = try store.byteCount()
            #expect((1_600_000..<1_800_000).contains(left), "\(left)")
            try await self.store(PatternBytes.bytes(100_000), as: self.entry("large"), in: store)
            #expect(try await self.bytes(of: self.entry("large"), in: store) == PatternBytes.bytes(100_000))
        }
    }

    #if os(Linux)
    /// Whether a file system can be mounted here, for one process alone.
    private static let mayMount = (try? Self.run("true")) != nil

    private struct Failure: Error {}

    /// Runs a command with a small file system of its own at a folder.
    ///
    /// - Parameters:
    ///   - command: The path of the command.
    ///   - filling: What it fills the file system with.
    /// - Returns: What it writes.
    /// - Throws: ``Failure`` if it fails.
    private static func run(_ command: String, _ filling: String = "") throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = #"mount -t tmpfs -o size=10m tmpfs "$0" && exec "$1" "$0" "$2""#
        process.arguments = ["unshare", "-m", "sh", "-c", script, folder.path(), command, filling]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(
        .enabled(if: DiskCacheFullTests.mayMount, "no file system can be mounted"),
        .bug(id: "F599"),
        arguments: [
            ("responses", "filled true\nstores true\ninvalidates true\nempties true\n"),
            (
                "file",
                "stores true, for others true\nstores true, for others true\ninvalidates true\n"
            ),
        ]
    )
    func `a cache on a file system that was full goes on storing and removing`(
        _ filling: String,
        _ output: String
    ) throws {
        let writer = try #require(DiskCacheProcessTests.writer)
        #expect(try Self.run(writer.path(), filling) == output)
    }
    #endif
}
