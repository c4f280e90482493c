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

@Suite(.timeLimit(.minutes(2))) struct DiskCacheStoreTests {
    private func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private func entry(_ path: String, delay: Int64 = 0) -> StoredResponse {
        StoredResponse(
            key: CacheKey(text: "http://h/\(path)"),
            status: .ok,
            headers: [.cacheControl: "max-age=60", .eTag: "\"\(path)\""],
            responseTime: 784_111_777,
            responseDelay: delay,
            selection: VariantSelection(
                vary: ["x-a"],
                request: [.authorization: "secret"],
                isDecoded: true,
                isShared: false
            )
        )
    }

    private func store(_ bytes: [UInt8], as entry: StoredResponse, in store: DiskCacheStore) async throws {
        let writer = try await store.makeWriter(for: entry)
        var rest = ByteBuffer(bytes: bytes)
        while let part = rest.readSlice(length: min(10_000, rest.readableBytes)), part.readableBytes > 0 {
            try await writer.write(part)
        }
        try await writer.commit()
    }

    private func bytes(
        of entry: StoredResponse,
        _ range: Range<Int64>? = nil,
        in store: DiskCacheStore
    ) async throws -> [UInt8]? {
        guard let found = try await store.responses(for: entry.key).first,
            let body = try await store.body(of: found, range: range)
        else { return nil }
        return Array(try await body.collect(upTo: 64 << 20).readableBytesView)
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 262_144, 262_145, 1_000_000, 5_000_000])
    func `a body comes back as it was, and any range of it`(_ count: Int) async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 64 << 20)
            let bytes = PatternBytes.bytes(count)
            try await self.store(bytes, as: self.entry("a"), in: store)
            let reopened = try DiskCacheStore(directory: folder, maximumByteCount: 64 << 20)
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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 64 << 20)
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
            let reopened = try DiskCacheStore(directory: folder, maximumByteCount: 64 << 20)
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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20)
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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20, clock: clock)
            let writer = try await store.makeWriter(for: self.entry("a"))
            try await writer.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            let second = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20, clock: clock)
            #expect(try second.byteCount() > 900_000)
            now.withLock { $0 += 3601 }
            let third = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20, clock: clock)
            #expect(try third.byteCount() == 0)
            await #expect(throws: DiskCacheError.self) { try await writer.commit() }
            #expect(try await third.responses(for: self.entry("a").key).isEmpty)
        }
    }

    @Test func `a store that stays open removes what a killed process had begun`() async throws {
        try await self.withFolder { folder in
            let now = Mutex<Int64>(1_000_000)
            let clock = WallClock { now.withLock { $0 } }
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20, clock: clock)
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
                directory: folder,
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
                directory: folder,
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

    @Test(arguments: ["", "this is no database", String(repeating: "x", count: 100_000)])
    func `a broken database is made anew`(_ content: String) async throws {
        try await self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(content.utf8).write(to: folder.appending(path: "responses-1.sqlite"))
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
            try await self.store([1], as: self.entry("a"), in: store)
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1])
        }
    }

    // MARK: Damage

    /// The file of a folder in which fifty responses are stored, and that nobody has open.
    private func filledFile(in folder: URL) async throws -> URL {
        let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
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
                try await self.use(try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20))
            }
        }
    }

    @Test func `a database that breaks while it is open is made anew`() async throws {
        try await self.withFolder { folder in
            let file = try await self.filledFile(in: folder)
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
            let other = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
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

    @Test func `a large body that is broken in its middle is not found again`() async throws {
        try await self.withFolder { folder in
            func makeStore() throws -> DiskCacheStore {
                try DiskCacheStore(directory: folder, maximumByteCount: 64 << 20)
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
                                _ = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 20)
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
            let store = try DiskCacheStore(directory: folder, maximumByteCount: 8 << 20)
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

    @Test func `a folder that cannot be made is an error`() throws {
        #expect(throws: DiskCacheError.self) {
            try DiskCacheStore(directory: URL(filePath: "/dev/null/cache"), maximumByteCount: 1)
        }
    }

    @Test func `many tasks and two stores at one folder`() async throws {
        try await self.withFolder { folder in
            let stores = try (0..<2).map { _ in try DiskCacheStore(directory: folder, maximumByteCount: 4 << 20) }
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
