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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 16 << 20)
            // Reads beside the writers, a different number of times each round, so that they are killed at different places.
            for _ in 0...round { _ = try await self.checkAll(store, whileOthersWrite: true) }
            for writer in writers { writer.kill() }
            let found = try await self.checkAll(store)
            #expect(found > 0)
            let reopened = try DiskCacheStore(directory: folder, maximumByteCount: 16 << 20)
            #expect(try await self.checkAll(reopened) == found)
            #expect(try reopened.byteCount() <= 16 << 20)
        }
    }

    /// Reads every response that is stored.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - whileOthersWrite: Whether a body may be removed to make room while it is read.
    /// - Returns: How many there are.
    /// - Throws: What reading fails with.
    private func checkAll(_ store: DiskCacheStore, whileOthersWrite: Bool = false) async throws -> Int {
        var found = 0
        for count in stride(from: 1000, to: 1_500_000, by: 100_003) {
            guard let response = try await store.responses(for: CacheKey(text: "http://h/\(count)")).first else {
                continue
            }
            // It may be replaced between the two calls.
            guard let body = try await store.body(of: response, range: nil) else { continue }
            do {
                let bytes = try await body.collect(upTo: 4 << 20)
                #expect(bytes == ByteBuffer(bytes: PatternBytes.bytes(count)))
                found += 1
            } catch let error as DiskCacheError {
                #expect(whileOthersWrite && error.reason == "the response was removed while its body was read")
            }
        }
        return found
    }
}
