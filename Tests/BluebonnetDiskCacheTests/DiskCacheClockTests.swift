// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// A clock that is set back by a day.
@Suite(.timeLimit(.minutes(1)), .bug(id: "F468")) struct DiskCacheClockTests: DiskCacheScene {
    /// Runs a test with a store, and a function that sets its clock back by a day, or forward.
    private func withStore(
        _ maximum: Int,
        _ body: (DiskCacheStore, _ advance: (Int64) -> Void, _ reopen: () throws -> DiskCacheStore) async throws -> Void
    ) async throws {
        let now = Ref()
        try await self.withFolder { folder in
            let reopen = {
                try DiskCacheStore(at: folder, maximumByteCount: maximum, clock: WallClock { now.seconds })
            }
            try await body(reopen(), { now.advance(by: $0) }, reopen)
        }
    }

    private final class Ref: Sendable {
        private let value = Mutex<Int64>(1_900_000_000)
        var seconds: Int64 { self.value.withLock { $0 } }
        func advance(by seconds: Int64) { self.value.withLock { $0 += seconds } }
    }

    private static let day: Int64 = 86_400

    private func isStored(_ path: String, in store: DiskCacheStore) async throws -> Bool {
        try await self.bytes(of: self.entry(path), in: store) != nil
    }

    @Test func `what was used before makes room first`() async throws {
        try await self.withStore(1_000_000) { store, advance, _ in
            for index in 0..<9 {
                try await self.store(PatternBytes.bytes(100_000), as: self.entry("old \(index)"), in: store)
            }
            advance(-Self.day)
            for index in 0..<4 {
                try await self.store(PatternBytes.bytes(100_000), as: self.entry("new \(index)"), in: store)
                advance(60)
            }
            for index in 0..<4 { #expect(try await self.isStored("new \(index)", in: store)) }
        }
    }

    @Test func `what is used again afterwards stays`() async throws {
        try await self.withStore(1_000_000) { store, advance, _ in
            for index in 0..<9 {
                try await self.store(PatternBytes.bytes(100_000), as: self.entry("old \(index)"), in: store)
            }
            advance(-Self.day)
            #expect(try await self.isStored("old 0", in: store))
            for index in 0..<4 {
                try await self.store(PatternBytes.bytes(100_000), as: self.entry("new \(index)"), in: store)
            }
            #expect(try await self.isStored("old 0", in: store))
        }
    }

    @Test func `of many variants the new one stays`() async throws {
        func variant(_ number: Int) -> StoredResponse {
            StoredResponse(
                key: CacheKey(text: "http://h/a"),
                status: .ok,
                headers: [.eTag: "\"\(number)\""],
                responseTime: 784_111_777,
                responseDelay: 0,
                selection: VariantSelection(
                    vary: ["accept"],
                    request: [.accept: "a/\(number)"],
                    isDecoded: true,
                    isShared: false
                )
            )
        }
        try await self.withStore(1_000_000) { store, advance, _ in
            for number in 0..<64 { try await self.store([1], as: variant(number), in: store) }
            advance(-Self.day)
            try await self.store([1], as: variant(64), in: store)
            let tags = try await store.responses(for: CacheKey(text: "http://h/a")).map { $0.headers[.eTag] }
            #expect(tags.count == 64 && tags.contains("\"64\""))
        }
    }

    @Test func `what a killed process had begun is removed`() async throws {
        try await self.withStore(8 << 20) { store, advance, reopen in
            let writer = try await store.makeWriter(for: self.entry("a"))
            try await writer.write(ByteBuffer(repeating: 0x61, count: 1_000_000))
            advance(-3600)
            #expect(try reopen().byteCount() > 900_000)
            advance(-1)
            #expect(try reopen().byteCount() == 0)
            writer.discard()
        }
    }
}
