// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetDiskCache
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// Processes that write into one folder, and are killed while they do.
@Suite(.timeLimit(.minutes(2))) struct DiskCacheProcessTests {
    /// The program of such a process, beside this one, wherever the test runner has put it.
    static var writer: URL? {
        let beside = CommandLine.arguments.filter { $0.contains(".xctest") }
            .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "disk-cache-writer") }
        let candidates = beside + [Bundle.main.bundleURL.appending(path: "disk-cache-writer")]
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    }

    /// A process that fills the cache.
    private struct Writer {
        let process = Process()
        let output = Pipe()

        init(folder: URL) throws {
            self.process.executableURL = DiskCacheProcessTests.writer
            self.process.arguments = [folder.path()]
            self.process.standardOutput = self.output
            try self.process.run()
            // Returns with its first line: an entry is stored by then.
            _ = self.output.fileHandleForReading.availableData
        }

        func kill() {
            Foundation.kill(self.process.processIdentifier, SIGKILL)
            self.process.waitUntilExit()
        }
    }

    @Test func `two processes are killed in the middle, four times, and every response that is found is whole`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<4 {
            let writers = [try Writer(folder: folder), try Writer(folder: folder)]
            let store = try DiskCacheStore(at: folder, maximumByteCount: 16 << 20)
            // Reads beside the writers, a different number of times each round, so that they are killed at different places.
            for _ in 0...round { _ = try await self.checkAll(store) }
            for writer in writers { writer.kill() }
            let found = try await self.checkAll(store)
            #expect(found > 0)
            let reopened = try DiskCacheStore(at: folder, maximumByteCount: 16 << 20)
            #expect(try await self.checkAll(reopened) == found)
            #expect(try reopened.byteCount() <= 16 << 20)
        }
    }

    @Test(.bug(id: "F707")) func `bodies that another process has no room for are read to their end`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DiskCacheStore(at: folder, maximumByteCount: 16 << 20)
        let count = 3_000_000
        let keys = (0..<3).map { CacheKey(text: "http://h/read/\($0)") }
        var readers: [(iterator: ResponseBody.AsyncIterator, bytes: ByteBuffer)] = []
        for key in keys {
            let response = self.response(key)
            let cacheWriter = try await store.makeWriter(for: response)
            try await cacheWriter.write(ByteBuffer(bytes: PatternBytes.bytes(count)))
            try await cacheWriter.commit()
            let found = try #require(try await store.responses(for: key).first)
            var iterator = try #require(try await store.body(of: found, range: nil)).makeAsyncIterator()
            let first = try #require(try await iterator.next())
            readers.append((iterator, first))
        }
        let writer = try Writer(folder: folder)
        defer { writer.kill() }
        // Until the other process has made room for what it stores.
        while try await self.count(keys, in: store) == keys.count { await Task.yield() }
        for var (iterator, bytes) in readers {
            while let next = try await iterator.next() { bytes.writeImmutableBuffer(next) }
            #expect(bytes == ByteBuffer(bytes: PatternBytes.bytes(count)))
        }
    }

    private func count(_ keys: [CacheKey], in store: DiskCacheStore) async throws -> Int {
        var count = 0
        for key in keys { count += try await store.responses(for: key).count }
        return count
    }

    private func response(_ key: CacheKey) -> StoredResponse {
        StoredResponse(
            key: key,
            status: .ok,
            headers: [:],
            responseTime: 784_111_777,
            responseDelay: 0,
            selection: VariantSelection(vary: [], request: [:], isDecoded: true, isShared: false)
        )
    }

    /// Reads every response that is stored.
    ///
    /// - Parameter store: The store.
    /// - Returns: How many there are.
    /// - Throws: What reading fails with.
    private func checkAll(_ store: DiskCacheStore) async throws -> Int {
        var found = 0
        for count in stride(from: 1000, to: 1_500_000, by: 100_003) {
            guard let response = try await store.responses(for: CacheKey(text: "http://h/\(count)")).first else {
                continue
            }
            // It may be replaced between the two calls.
            guard let body = try await store.body(of: response, range: nil) else { continue }
            let bytes = try await body.collect(upTo: 4 << 20)
            #expect(bytes == ByteBuffer(bytes: PatternBytes.bytes(count)))
            found += 1
        }
        return found
    }
}
