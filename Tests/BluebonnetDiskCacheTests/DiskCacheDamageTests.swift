// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@testable import BluebonnetDiskCache

/// Databases that are broken before a store opens them, or while it has them open.
@Suite(.timeLimit(.minutes(2))) struct DiskCacheDamageTests: DiskCacheScene {
    @Test(arguments: ["", "this is no database", String(repeating: "x", count: 100_000)])
    func `a broken database is made anew`(_ content: String) async throws {
        try await self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(content.utf8).write(to: folder.appending(path: "responses-1.sqlite"))
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            try await self.store([1], as: self.entry("a"), in: store)
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1])
        }
    }

    /// The file of a folder in which fifty responses are stored, and that nobody has open.
    private func filledFile(in folder: URL) async throws -> URL {
        let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
        for index in 0..<50 {
            try await self.store(PatternBytes.bytes(300), as: self.entry("\(index)"), in: store)
        }
        return folder.appending(path: "responses-1.sqlite")
    }

    /// Looks for everything that was stored, and stores something new; nothing of that may fail.
    private func use(_ store: DiskCacheStore) async throws {
        for index in 0..<50 {
            let found = try await self.bytes(of: self.entry("\(index)"), in: store)
            #expect(found == nil || found == PatternBytes.bytes(300))
        }
        try await self.store([1], as: self.entry("new"), in: store)
        #expect(try await self.bytes(of: self.entry("new"), in: store) == [1])
    }

    @Test func `a database that is broken behind its first page is made anew`() async throws {
        try await self.withFolder { folder in
            let file = try await self.filledFile(in: folder)
            let whole = try Data(contentsOf: file)
            let pages = (0..<whole.count / 4096).map { $0 * 4096..<($0 + 1) * 4096 }
            #expect(pages.count > 10)
            for damage in [4096..<whole.count] + pages {
                // A log beside the file would bring the pages back.
                try #require(!FileManager.default.fileExists(atPath: file.path() + "-wal"))
                var bytes = whole
                bytes.replaceSubrange(damage, with: repeatElement(0xFF, count: damage.count))
                try bytes.write(to: file)
                try await self.use(try DiskCacheStore(at: folder, maximumByteCount: 1 << 20))
            }
        }
    }

    @Test func `a database that breaks while it is open is made anew`() async throws {
        try await self.withFolder { folder in
            let file = try await self.filledFile(in: folder)
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            let other = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            let count = try Data(contentsOf: file).count
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: 4096)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: count - 4096))
            try handle.close()
            try await self.use(store)
            try await self.use(other)
            #expect(try await self.bytes(of: self.entry("new"), in: store) == [1])
        }
    }

    // MARK: Numbers

    @Test(
        .bug(id: "F243"),
        arguments: [
            ("0", true), ("1125899906842624", true), ("1125899906842625", false), ("9223372036854775807", false),
            ("9223372036854775808", false), ("-1", false),
        ]
    )
    func `a head with the size of a body that cannot be is not read`(_ size: String, _ isRead: Bool) throws {
        let entry = self.entry("a")
        let line = String(decoding: entry.encoded.prefix { $0 != 0x0A }, as: UTF8.self)
        var numbers = line.split(separator: " ").map(String.init)
        try #require(numbers.count == 7)
        numbers[3] = size
        let encoded = Array(numbers.joined(separator: " ").utf8) + entry.encoded.drop { $0 != 0x0A }
        let found = StoredResponse(encoded: encoded, id: entry.id, key: entry.key)
        #expect((found != nil) == isRead)
    }

    @Test(.bug(id: "F243"), arguments: [Int64.min, Int64.max])
    func `a time that cannot be stops nothing`(_ used: Int64) async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            try await self.store([1], as: self.entry("a"), in: store)
            let database = try Database(path: folder.appending(path: "responses-1.sqlite").path())
            try database.run("UPDATE entries SET used = ?", [.integer(used)])
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1])
        }
    }

    // MARK: Bodies

    @Test func `a large body that is broken in its middle is not found again`() async throws {
        try await self.withFolder { folder in
            func makeStore() throws -> DiskCacheStore {
                try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            }
            try await self.store(PatternBytes.bytes(3_000_000), as: self.entry("a"), in: makeStore())
            let file = folder.appending(path: "responses-1.sqlite")
            try #require(!FileManager.default.fileExists(atPath: file.path() + "-wal"))
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: 2_000_000)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: 500_000))
            try handle.close()
            let store = try makeStore()
            await #expect(throws: DiskCacheError.self) { try await self.bytes(of: self.entry("a"), in: store) }
            #expect(try await store.responses(for: self.entry("a").key).isEmpty)
            try await self.store([1], as: self.entry("a"), in: store)
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1])
        }
    }
}
