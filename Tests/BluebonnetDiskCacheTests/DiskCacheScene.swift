// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import NIOCore

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// What the tests of a store on disk share: a folder, and responses to store and to look for.
protocol DiskCacheScene {}

extension DiskCacheScene {
    func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    func entry(_ path: String, delay: Int64 = 0) -> StoredResponse {
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

    func store(_ bytes: [UInt8], as entry: StoredResponse, in store: DiskCacheStore) async throws {
        let writer = try await store.makeWriter(for: entry)
        var rest = ByteBuffer(bytes: bytes)
        while let part = rest.readSlice(length: min(10_000, rest.readableBytes)), part.readableBytes > 0 {
            try await writer.write(part)
        }
        try await writer.commit()
    }

    func bytes(
        of entry: StoredResponse,
        _ range: Range<Int64>? = nil,
        in store: DiskCacheStore
    ) async throws -> [UInt8]? {
        guard let found = try await store.responses(for: entry.key).first,
            let body = try await store.body(of: found, range: range)
        else { return nil }
        return Array(try await body.collect(upTo: 64 << 20).readableBytesView)
    }
}
