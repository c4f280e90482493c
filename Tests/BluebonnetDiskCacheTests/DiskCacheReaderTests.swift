// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// Large bodies that are read slowly, while others write and remove.
@Suite(.timeLimit(.minutes(2))) struct DiskCacheReaderTests {
    private static let bytes = PatternBytes.bytes(3_000_000)

    private let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
    private let now = NowBox()

    /// The time of day of a test.
    private final class NowBox: Sendable {
        let seconds = Mutex<Int64>(1_000_000)
        var clock: WallClock { WallClock { self.seconds.withLock { $0 } } }
        func advance(by seconds: Int64) { self.seconds.withLock { $0 += seconds } }
    }

    private func makeStore(_ maximum: Int = 64 << 20) throws -> DiskCacheStore {
        try DiskCacheStore(at: self.folder, maximumByteCount: maximum, clock: self.now.clock)
    }

    private func entry(_ path: String, variant: String? = nil) -> StoredResponse {
        StoredResponse(
            key: CacheKey(text: "http://h/\(path)"),
            status: .ok,
            headers: [.eTag: "\"\(path)\""],
            responseTime: 784_111_777,
            responseDelay: 0,
            selection: VariantSelection(
                vary: variant == nil ? [] : ["accept"],
                request: variant.map { [.accept: $0] } ?? [:],
                isDecoded: true,
                isShared: false
            )
        )
    }

    private func store(
        _ bytes: [UInt8],
        as path: String,
        variant: String? = nil,
        in store: DiskCacheStore
    ) async throws {
        let writer = try await store.makeWriter(for: self.entry(path, variant: variant))
        try await writer.write(ByteBuffer(bytes: bytes))
        try await writer.commit()
    }

    /// Stores a large body, and reads its beginning.
    private func begin(
        _ store: DiskCacheStore,
        _ path: String = "a",
        variant: String? = nil,
        count: Int = Self.bytes.count
    ) async throws -> (ResponseBody.AsyncIterator, [UInt8]) {
        try await self.store(Array(Self.bytes.prefix(count)), as: path, variant: variant, in: store)
        let found = try #require(try await store.responses(for: self.entry(path).key).first)
        let body = try #require(try await store.body(of: found, range: nil))
        var iterator = body.makeAsyncIterator()
        let first = Array(try #require(try await iterator.next()).readableBytesView)
        return (iterator, first)
    }

    private func rest(_ iterator: inout ResponseBody.AsyncIterator) async throws -> [UInt8] {
        var read: [UInt8] = []
        while let buffer = try await iterator.next() { read += Array(buffer.readableBytesView) }
        return read
    }

    private var logByteCount: Int {
        get throws {
            let path = self.folder.appending(path: "responses-1.sqlite-wal").path()
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
    }

    @Test func `the log stays small while a reader stalls and others write`() async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let store = try self.makeStore()
        var (iterator, read) = try await self.begin(store)
        for index in 0..<60 {
            try await self.store(PatternBytes.bytes(1_000_000), as: "\(index % 10)", in: store)
        }
        let byteCount = try self.logByteCount
        #expect(byteCount < 8 << 20, "60 MB were written, \(byteCount) of them are in the log")
        read += try await self.rest(&iterator)
        #expect(read == Self.bytes)
    }

    enum Removal: Sendable, CaseIterable {
        case replaced, invalidated, removed
    }

    @Test(arguments: Removal.allCases)
    func `a body that another store removes is read to its end, however slowly`(_ removal: Removal) async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let (store, other) = (try self.makeStore(), try self.makeStore())
        var (iterator, read) = try await self.begin(store)
        switch removal {
        case .replaced: try await self.store([1], as: "a", in: other)
        case .invalidated: try await other.removeAll(for: self.entry("a").key)
        case .removed: try await other.remove(try #require(try await other.responses(for: self.entry("a").key).first))
        }
        #expect(try await store.responses(for: self.entry("a").key).count == (removal == .replaced ? 1 : 0))
        while let buffer = try await iterator.next() {
            read += Array(buffer.readableBytesView)
            self.now.advance(by: 7200)
            try await self.store([1], as: "b", in: other)
        }
        #expect(read == Self.bytes)
        // What nobody reads any more goes.
        self.now.advance(by: 301)
        try await self.store([1], as: "b", in: other)
        #expect(try other.byteCount() < 10_000)
    }

    @Test func `everything is removed at once when that is asked for`() async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let store = try self.makeStore()
        var (iterator, _) = try await self.begin(store)
        try await store.removeAll(for: self.entry("a").key)
        #expect(try store.byteCount() > 3_000_000)
        try await store.removeAll()
        #expect(try store.byteCount() == 0)
        await #expect(throws: DiskCacheError.self) { try await self.rest(&iterator) }
    }

    @Test func `hidden bodies count against the bound, and make room before those that were used since`() async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let store = try self.makeStore(4_000_000)
        for index in 0..<20 {
            try await self.store(PatternBytes.bytes(1_000_000), as: "feed", in: store)
            try await self.store(PatternBytes.bytes(300), as: "kept", in: store)
            #expect(try store.byteCount() <= 4_000_000, "\(index)")
            self.now.advance(by: 10)
        }
        #expect(try await store.responses(for: self.entry("kept").key).count == 1)
        #expect(try await store.responses(for: self.entry("feed").key).count == 1)
    }

    @Test func `a body that is read is not the first to make room`() async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let store = try self.makeStore(6_000_000)
        var (iterator, read) = try await self.begin(store)
        var index = 0
        while let buffer = try await iterator.next() {
            read += Array(buffer.readableBytesView)
            self.now.advance(by: 61)
            index += 1
            try await self.store(PatternBytes.bytes(1_000_000), as: "\(index)", in: store)
        }
        #expect(read == Self.bytes)
    }

    // MARK: Room

    enum Churn: Sendable, CaseIterable {
        /// The body that is read is replaced again and again.
        case replaced
        /// Other bodies need its room.
        case evicted
    }

    @Test(.bug(id: "F153"), arguments: Churn.allCases, [false, true])
    func `a body is read to its end while a small store replaces its content many times`(
        _ churn: Churn,
        _ hasOtherStore: Bool
    ) async throws {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let maximum = 4_000_000
        let store = try self.makeStore(maximum)
        let other = hasOtherStore ? try self.makeStore(maximum) : store
        var (iterator, read) = try await self.begin(store)
        var largest = 0
        for index in 0..<200 {
            self.now.advance(by: 1)
            try await self.store(PatternBytes.bytes(700_000), as: churn == .replaced ? "a" : "\(index)", in: other)
            largest = max(largest, try other.byteCount())
            if index.isMultiple(of: 5), let buffer = try await iterator.next() {
                read += Array(buffer.readableBytesView)
            }
        }
        read += try await self.rest(&iterator)
        #expect(read == Self.bytes)
        // What was replaced and is not read makes room first.
        #expect((largest > maximum) == (churn == .evicted) && largest <= maximum + Self.bytes.count)
        // The room is returned when the reader has ended.
        #expect(try store.byteCount() <= maximum)
        let last = self.entry(churn == .replaced ? "a" : "199")
        #expect(try await store.responses(for: last.key).count == 1)
    }

    @Test(.bug(id: "F153"))
    func `bodies that are read exceed the bound by as much again, and then the oldest reader gets an error`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let (maximum, count) = (4_000_000, 1_800_000)
        let store = try self.makeStore(maximum)
        var bodies: [(iterator: ResponseBody.AsyncIterator, read: [UInt8])] = []
        for path in ["a", "b", "c"] {
            bodies.append(try await self.begin(store, path, count: count))
            self.now.advance(by: 61)
        }
        for index in 0..<10 {
            try await self.store(PatternBytes.bytes(count), as: "\(index)", in: store)
            #expect(try store.byteCount() <= 2 * maximum)
            #expect(try await store.responses(for: self.entry("\(index)").key).count == 1)
            self.now.advance(by: 10)
        }
        let error = await #expect(throws: DiskCacheError.self) { try await self.rest(&bodies[0].iterator) }
        #expect(error?.reason == "the response was removed while its body was read")
        let rest = try await self.rest(&bodies[1].iterator)
        #expect(bodies[1].read + rest == Array(Self.bytes.prefix(count)))
        #expect(try store.byteCount() > maximum)
        // A reader that is dropped returns the room as well.
        bodies = []
        #expect(try store.byteCount() <= maximum)
    }

    @Test(.bug(id: "F153")) func `a body is read to its end while 64 other variants of its URL are stored`()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: self.folder) }
        let store = try self.makeStore()
        var (iterator, read) = try await self.begin(store, variant: "text/0")
        for index in 1...64 {
            self.now.advance(by: 1)
            try await self.store(PatternBytes.bytes(300), as: "a", variant: "text/\(index)", in: store)
        }
        #expect(try await store.responses(for: self.entry("a").key).count == 64)
        read += try await self.rest(&iterator)
        #expect(read == Self.bytes)
    }
}
