// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetDiskCache
import BluebonnetTransport
import CSQLite
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// What a hundred thousand entries cost.
@Suite(.timeLimit(.minutes(5))) struct DiskCacheScalingTests {
    @Test func `a hundred thousand entries slow neither the opening nor a look-up`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 30)
        try self.fill(folder, with: 0..<1000)
        let few = try await self.lookUpTime(in: store, of: 1000)
        try self.fill(folder, with: 1000..<100_000)
        let many = try await self.lookUpTime(in: store, of: 100_000)
        let clock = ContinuousClock()
        let opening = try (0..<5).map { _ in
            try clock.measure { _ = try DiskCacheStore(at: folder, maximumByteCount: 1 << 30) }
        }.min()
        // A search through all entries would take a hundred times as long.
        #expect(many < few * 5, "\(few) for a look-up among 1,000, \(many) among 100,000")
        #expect(try #require(opening) < .milliseconds(50), "\(String(describing: opening))")
    }

    /// Writes entries of 500 bytes in one transaction: a hundred thousand of their own would take minutes.
    private func fill(_ folder: URL, with numbers: Range<Int>) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open(folder.appending(path: "responses-1.sqlite").path(), &handle) == SQLITE_OK)
        let head = StoredResponse(
            key: CacheKey(text: "http://h/"),
            status: .ok,
            headers: [.cacheControl: "max-age=60"],
            responseTime: 784_111_777,
            responseDelay: 0,
            selection: VariantSelection(fields: [], isDecoded: false)
        ).encoded
        let hex = head.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        let sql = """
            BEGIN;
            WITH RECURSIVE n(i) AS (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(numbers.upperBound))
            INSERT INTO entries SELECT randomblob(16), 'http://h/' || i, 'raw;', x'\(hex)', 1000, i, 1 FROM n;
            INSERT INTO pieces SELECT id, 0, zeroblob(500) FROM entries WHERE used BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound - 1);
            COMMIT;
            """
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// The shortest of some runs, for one look-up.
    private func lookUpTime(in store: DiskCacheStore, of count: Int) async throws -> Duration {
        let clock = ContinuousClock()
        var best = Duration.seconds(60)
        for _ in 0..<5 {
            let start = clock.now
            for step in 0..<200 {
                let found = try await store.responses(for: CacheKey(text: "http://h/\(step * 7919 % count)"))
                #expect(found.count == 1)
            }
            best = min(best, start.duration(to: clock.now) / 200)
        }
        return best
    }
}
