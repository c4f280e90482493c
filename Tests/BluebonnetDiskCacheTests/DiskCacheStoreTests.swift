// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

@Suite(.timeLimit(.minutes(2))) struct DiskCacheStoreTests: DiskCacheScene {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 262_144, 262_145, 1_000_000, 5_000_000])
    func `a body comes back as it was, and any range of it`(_ count: Int) async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            let bytes = PatternBytes.bytes(count)
            try await self.store(bytes, as: self.entry("a"), in: store)
            let reopened = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            #expect(try await self.bytes(of: self.entry("a"), in: reopened) == bytes)
            for range in [0..<count / 2, count / 3..<count, max(count - 1, 0)..<count] {
                let part = Int64(range.lowerBound)..<Int64(range.upperBound)
                #expect(try await self.bytes(of: self.entry("a"), part, in: reopened) == Array(bytes[range]))
            }
        }
    }

    @Test(arguments: [1, 65_536, 300_000, 999_999])
    func `a part comes back as one, and a whole takes its place`(_ count: Int) async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            let bytes = PatternBytes.bytes(1_000_000)
            func entry() -> StoredResponse {
                StoredResponse(
                    key: CacheKey(text: "http://h/part"),
                    status: .ok,
                    headers: [.eTag: "\"a\"", .contentLength: "1000000"],
                    responseTime: 784_111_777,
                    responseDelay: 0,
                    selection: VariantSelection(vary: [], request: [:], isDecoded: true, isShared: false)
                )
            }
            let part = entry()
            let writer = try await store.makeWriter(for: part)
            var rest = ByteBuffer(bytes: bytes[..<count])
            while let piece = rest.readSlice(length: min(10_000, rest.readableBytes)), piece.readableBytes > 0 {
                try await writer.write(piece)
            }
            writer.keepPart()
            writer.discard()
            // The part is stored before the store answers anything.
            #expect(try store.byteCount() > count)
            let reopened = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            let found = try #require(try await reopened.responses(for: part.key).first)
            #expect(found.isPart && found.bodyByteCount == Int64(count))
            #expect(try await self.bytes(of: part, in: reopened) == Array(bytes[..<count]))
            try await self.store(bytes, as: entry(), in: reopened)
            #expect(try await reopened.responses(for: part.key).map(\.isPart) == [false])
            #expect(try await self.bytes(of: part, in: reopened) == bytes)
        }
    }

    @Test func `a head comes back as it was, without the secret it depends on`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
            let entry = self.entry("a", delay: 3)
            try await self.store([1, 2, 3], as: entry, in: store)
            let found = try #require(try await store.responses(for: entry.key).first)
            #expect(found.id == entry.id && found.status == entry.status && found.headers == entry.headers)
            #expect(found.responseTime == entry.responseTime && found.responseDelay == 3 && found.bodyByteCount == 3)
            #expect(found.selection == entry.selection && found.variant == entry.variant)
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                #expect(try Data(contentsOf: file).range(of: Data("secret".utf8)) == nil)
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }

    @Test func `a body that is not complete is not found, and leaves nothing`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20)
            let writer = try await store.makeWriter(for: self.entry("a"))
            try await writer.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            #expect(try store.byteCount() > 900_000)
            #expect(try await store.responses(for: self.entry("a").key).isEmpty)
            writer.discard()
            #expect(try store.byteCount() == 0)
        }
    }

    @Test func `what a killed process had begun is removed an hour later`() async throws {
        try await self.withFolder { folder in
            let now = Mutex<Int64>(1_000_000)
            let clock = WallClock { now.withLock { $0 } }
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20, clock: clock)
            let writer = try await store.makeWriter(for: self.entry("a"))
            try await writer.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            let second = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20, clock: clock)
            #expect(try second.byteCount() > 900_000)
            now.withLock { $0 += 3601 }
            let third = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20, clock: clock)
            #expect(try third.byteCount() == 0)
            await #expect(throws: DiskCacheError.self) { try await writer.commit() }
            #expect(try await third.responses(for: self.entry("a").key).isEmpty)
        }
    }

    @Test func `a store that stays open removes what a killed process had begun`() async throws {
        try await self.withFolder { folder in
            let now = Mutex<Int64>(1_000_000)
            let clock = WallClock { now.withLock { $0 } }
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20, clock: clock)
            let writer = try await store.makeWriter(for: self.entry("a"))
            try await writer.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            now.withLock { $0 += 3601 }
            #expect(try store.byteCount() > 900_000)
            try await self.store([1], as: self.entry("b"), in: store)
            #expect(try store.byteCount() < 10_000)
            await #expect(throws: DiskCacheError.self) { try await writer.commit() }
        }
    }

    @Test func `the bound holds, and what was used last stays`() async throws {
        try await self.withFolder { folder in
            let now = Mutex<Int64>(1_000_000)
            let store = try DiskCacheStore(
                at: folder,
                maximumByteCount: 500_000,
                clock: WallClock { now.withLock { $0 } }
            )
            for index in 0..<200 {
                now.withLock { $0 += 100 }
                try await self.store(PatternBytes.bytes(10_000), as: self.entry("\(index)"), in: store)
                #expect(try await self.bytes(of: self.entry("0"), in: store)?.count == 10_000)
                #expect(try store.byteCount() <= 500_000)
            }
            #expect(try await store.responses(for: self.entry("1").key).isEmpty)
            #expect(try await store.responses(for: self.entry("199").key).count == 1)
        }
    }

    @Test func `of large bodies no more go than have to`() async throws {
        try await self.withFolder { folder in
            // All within one minute, which is as exactly as the use of a response is kept.
            let store = try DiskCacheStore(
                at: folder,
                maximumByteCount: 1_000_000,
                clock: WallClock { 1_000_000 }
            )
            for index in 0..<30 {
                try await self.store(PatternBytes.bytes(110_000), as: self.entry("\(index)"), in: store)
                #expect(try await store.responses(for: self.entry("\(index)").key).count == 1)
            }
            #expect((880_000...1_000_000).contains(try store.byteCount()))
        }
    }

    // MARK: Several at once

    @Test func `stores that are opened in a new folder at the same moment are all opened`() async throws {
        try await self.withFolder { folder in
            for number in 0..<50 {
                #expect(await self.openAtOnce(folder.appending(path: "\(number)")) == [])
            }
        }
    }

    /// Opens eight stores on threads that begin together.
    ///
    /// - Returns: What they failed with.
    private func openAtOnce(_ folder: URL) async -> [DiskCacheError] {
        let start = DispatchSemaphore(value: 0)
        return await withTaskGroup(of: DiskCacheError?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            start.wait()
                            do throws(DiskCacheError) {
                                _ = try DiskCacheStore(at: folder, maximumByteCount: 1 << 20)
                                continuation.resume(returning: nil)
                            } catch {
                                continuation.resume(returning: error)
                            }
                        }
                    }
                }
            }
            for _ in 0..<8 { start.signal() }
            var errors: [DiskCacheError] = []
            for await case let error? in group { errors.append(error) }
            return errors
        }
    }

    @Test(arguments: ["discard", "keepPart", "drop"])
    func `a body is given up while another process writes, and nobody waits for that`(_ end: String) async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20)
            let entry = self.entry("a")
            var writer: (any CacheWriter)? = try await store.makeWriter(for: entry)
            try await writer?.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            let other = try Database(path: folder.appending(path: "responses-1.sqlite").path())
            try other.execute("BEGIN IMMEDIATE")
            let time = ContinuousClock().measure {
                switch end {
                case "discard": writer?.discard()
                case "keepPart": writer?.keepPart()
                default: break
                }
                writer = nil
            }
            try other.execute("ROLLBACK")
            // To wait for the other process would take two seconds at least.
            #expect(time < .seconds(1))
            #expect(try await store.responses(for: entry.key).count == (end == "keepPart" ? 1 : 0))
            #expect(try (store.byteCount() > 0) == (end == "keepPart"))
        }
    }

    @Test(.bug(id: "F606")) func `a folder that cannot be made is an error with its path and the system's reason`() {
        let error = #expect(throws: DiskCacheError.self) {
            try DiskCacheStore(at: URL(filePath: "/dev/null/cache"), maximumByteCount: 1)
        }
        #expect(error?.reason == "the folder “/dev/null/cache” cannot be created: Not a directory")
    }

    @Test func `many tasks and two stores at one folder`() async throws {
        try await self.withFolder { folder in
            let stores = try (0..<2).map { _ in try DiskCacheStore(at: folder, maximumByteCount: 4 << 20) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        let store = stores[task % 2]
                        for index in 0..<40 {
                            let path = "\(index % 7)"
                            try await self.store(
                                PatternBytes.bytes(1000 * (index % 7)),
                                as: self.entry(path),
                                in: store
                            )
                            guard let bytes = try await self.bytes(of: self.entry(path), in: store) else { continue }
                            #expect(bytes == PatternBytes.bytes(1000 * (index % 7)))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[0].responses(for: self.entry("1").key).count == 1)
        }
    }

    @Test func `a session finds after a restart what another one has stored`() async throws {
        try await self.withFolder { folder in
            let transport = StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    headers: [.cacheControl: "max-age=1000"],
                    body: ResponseBody(ByteBuffer(string: "stored"))
                )
            }
            for _ in 0..<3 {
                var configuration = Session.Configuration()
                configuration.cache = try .disk(at: folder)
                let session = Session(configuration: configuration, transport: transport)
                let response = try await session.response(for: Request(url: #require(URL(string: "http://h/a"))))
                #expect(String(decoding: response.body, as: UTF8.self) == "stored")
            }
            #expect(transport.requests.count == 1)
            #expect(try DiskCacheStore(at: folder).maximumByteCount == 256 << 20)
        }
    }

    @Test(arguments: [
        "", "200", "200 1 1 1 1", "200 1 1 1 1 99", "999 1 1 1 0 0", "200 9223372036854775807 1 1 0 0",
        "200 -1 1 1 0 0",
        "200 1 1 1 0 -1", "200 1 1 1 0 0\nno value", "200 1 1 1 0 0\nbad name\0v", "200 1 1 1 0 1",
        "200 1 1 1 0 0" + String(repeating: "\na\0b", count: 70_000),
    ])
    func `a head that nobody here has written is not one`(_ text: String) throws {
        #expect(StoredResponse(encoded: Array(text.utf8), id: UUID(), key: CacheKey(text: "k")) == nil)
    }
}
