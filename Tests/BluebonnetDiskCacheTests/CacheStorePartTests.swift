// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// What both stores do with parts, and with heads that grow.
@Suite(.timeLimit(.minutes(1))) struct CacheStorePartTests {
    /// The beginning of a body of 1,000,000 bytes, or the whole of it.
    struct Arrival: Sendable, CustomTestStringConvertible {
        var byteCount = 1_000_000
        var tag = "\"a\""
        var time: Int64 = 1_000

        var testDescription: String { "\(self.byteCount) bytes of \(self.tag) at \(self.time)" }
    }

    /// Runs a test with each store.
    private func withStores(maximumByteCount: Int, _ body: (any CacheStore) async throws -> Void) async throws {
        try await body(MemoryCacheStore(maximumByteCount: maximumByteCount))
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(DiskCacheStore(at: folder, maximumByteCount: maximumByteCount))
    }

    private func entry(_ path: String, _ headers: HTTPFields, time: Int64 = 1_000) -> StoredResponse {
        StoredResponse(
            key: CacheKey(text: "http://h/\(path)"),
            status: .ok,
            headers: headers,
            responseTime: time,
            responseDelay: 0,
            selection: VariantSelection(vary: [], request: [:], isDecoded: true, isShared: false)
        )
    }

    private func store(_ arrival: Arrival, in store: any CacheStore) async throws {
        let entry = self.entry("a", [.eTag: arrival.tag, .contentLength: "1000000"], time: arrival.time)
        let writer = try await store.makeWriter(for: entry)
        try await writer.write(ByteBuffer(bytes: PatternBytes.bytes(arrival.byteCount)))
        if arrival.byteCount == 1_000_000 { try await writer.commit() } else { writer.keepPart() }
    }

    @Test(arguments: [
        // what is stored, what comes next, whether that takes its place
        (Arrival(byteCount: 500), Arrival(byteCount: 501), true),
        (Arrival(byteCount: 500_000), Arrival(byteCount: 300_000), false),
        (Arrival(byteCount: 500_000), Arrival(byteCount: 500_000, time: 1_001), false),
        (Arrival(byteCount: 500_000), Arrival(byteCount: 500, tag: "\"b\"", time: 1_001), true),
        (Arrival(byteCount: 500, time: 1_001), Arrival(byteCount: 500_000, tag: "\"b\""), false),
        (Arrival(byteCount: 500), Arrival(), true),
        (Arrival(time: 1_001), Arrival(byteCount: 500_000, tag: "\"b\""), false),
        (Arrival(time: 1_001), Arrival(byteCount: 500_000), false),
        (Arrival(), Arrival(byteCount: 500, tag: "\"b\"", time: 1_001), true),
    ])
    func `a part takes the place of what is worth less`(
        _ first: Arrival,
        _ second: Arrival,
        _ isReplaced: Bool
    ) async throws {
        try await self.check(first, second, isReplaced)
    }

    /// RFC 9111 section 4: the most recent response is used, also if the body of an older one ends later.
    @Test(
        .bug(id: "F238"),
        arguments: [
            // what is stored, what is complete after it, whether that takes its place
            (Arrival(time: 1_001), Arrival(), false),
            (Arrival(time: 1_001), Arrival(tag: "\"b\""), false),
            (Arrival(), Arrival(tag: "\"b\""), true),
            (Arrival(), Arrival(tag: "\"b\"", time: 1_001), true),
            (Arrival(byteCount: 500, tag: "\"b\"", time: 1_001), Arrival(), true),
        ]
    )
    func `a whole takes the place of all but a whole that arrived later`(
        _ first: Arrival,
        _ second: Arrival,
        _ isReplaced: Bool
    ) async throws {
        try await self.check(first, second, isReplaced)
    }

    private func check(_ first: Arrival, _ second: Arrival, _ isReplaced: Bool) async throws {
        try await self.withStores(maximumByteCount: 8 << 20) { store in
            try await self.store(first, in: store)
            try await self.store(second, in: store)
            let found = try await store.responses(for: CacheKey(text: "http://h/a"))
            let kept = isReplaced ? second : first
            #expect(found.map(\.bodyByteCount) == [Int64(kept.byteCount)], "\(type(of: store))")
            #expect(found.map(\.responseTime) == [kept.time])
            #expect(found.map { $0.headers[.eTag] } == [kept.tag])
            let body = try await store.body(of: try #require(found.first), range: nil)
            let bytes = try await body?.collect(upTo: 1 << 20)
            // Not the bytes themselves: a failure would print them.
            let isSame = bytes.map { Array($0.readableBytesView) } == PatternBytes.bytes(kept.byteCount)
            #expect(isSame)
        }
    }

    @Test func `a head that grows counts against the bound`() async throws {
        try await self.withStores(maximumByteCount: 200_000) { store in
            for index in 0..<100 {
                let entry = self.entry("\(index)", [.contentLength: "500"])
                let writer = try await store.makeWriter(for: entry)
                try await writer.write(ByteBuffer(bytes: PatternBytes.bytes(500)))
                try await writer.commit()
            }
            var (heads, count) = (0, 0)
            for index in 0..<100 {
                let key = CacheKey(text: "http://h/\(index)")
                guard let found = try await store.responses(for: key).first else { continue }
                try await store.update(
                    found.with(
                        [.contentLength: "500", .via: String(repeating: "v", count: 10_000)],
                        found.selection
                    )
                )
            }
            for index in 0..<100 {
                let key = CacheKey(text: "http://h/\(index)")
                for found in try await store.responses(for: key) {
                    heads += found.headByteCount + 500
                    count += 1
                }
            }
            #expect(heads <= 200_000 && count > 10, "\(type(of: store))")
        }
    }
}
