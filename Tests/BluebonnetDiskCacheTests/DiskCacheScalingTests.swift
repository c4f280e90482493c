// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetDiskCache
import BluebonnetTransport
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
        let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 30)
        for index in 0..<1000 { try await self.add(index, to: store) }
        let few = try await self.lookUpTime(in: store, of: 1000)
        for index in 1000..<100_000 { try await self.add(index, to: store) }
        let many = try await self.lookUpTime(in: store, of: 100_000)
        let clock = ContinuousClock()
        let opening = try (0..<5).map { _ in
            try clock.measure { _ = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 30) }
        }.min()
        // A search through all entries would take a hundred times as long.
        #expect(many < few * 5, "\(few) for a look-up among 1,000, \(many) among 100,000")
        #expect(try #require(opening) < .milliseconds(50))
    }

    private func add(_ index: Int, to store: DiskCacheStore) async throws {
        let entry = StoredResponse(
            key: CacheKey(text: "http://h/\(index)"),
            status: .ok,
            headers: [.cacheControl: "max-age=60"],
            responseTime: 784_111_777,
            responseDelay: 0,
            selection: VariantSelection(fields: [], isDecoded: false)
        )
        let writer = try await store.makeWriter(for: entry)
        try await writer.write(ByteBuffer(repeating: 0x61, count: 500))
        try await writer.commit()
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
