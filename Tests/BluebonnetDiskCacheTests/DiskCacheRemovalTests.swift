// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@testable import BluebonnetDiskCache

/// Folders that are removed or replaced while a store uses them.
@Suite(.timeLimit(.minutes(1))) struct DiskCacheRemovalTests: DiskCacheScene {
    /// What is done with the folder of a store.
    enum Removal: CaseIterable {
        case removed
        case moved
        case replaced

        func apply(to folder: URL) throws {
            switch self {
            case .removed: try FileManager.default.removeItem(at: folder)
            case .moved: try FileManager.default.moveItem(at: folder, to: folder.appendingPathExtension("old"))
            case .replaced:
                try FileManager.default.removeItem(at: folder)
                _ = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            }
        }
    }

    @Test(.bug(id: "F586"), arguments: Removal.allCases, [20, 600_000])
    func `a store whose folder is gone begins anew`(_ removal: Removal, _ count: Int) async throws {
        try await self.withFolder { parent in
            let folder = parent.appending(path: "cache")
            let store = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            try await self.store(PatternBytes.bytes(count), as: self.entry("a"), in: store)
            try removal.apply(to: folder)
            #expect(try await self.bytes(of: self.entry("a"), in: store) == nil)
            #expect(try store.byteCount() == 0)
            try await self.store(PatternBytes.bytes(count), as: self.entry("b"), in: store)
            #expect(try await self.bytes(of: self.entry("b"), in: store) == PatternBytes.bytes(count))
            let other = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            #expect(try await self.bytes(of: self.entry("b"), in: other) == PatternBytes.bytes(count))
            try await other.removeAll(for: self.entry("b").key)
            #expect(try await self.bytes(of: self.entry("b"), in: store) == nil)
        }
    }

    @Test(.bug(id: "F586")) func `an invalidation is made in the folder that is there now`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            try FileManager.default.removeItem(at: folder)
            let other = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            try await self.store([1], as: self.entry("a"), in: other)
            try await store.removeAll(for: self.entry("a").key)
            #expect(try await self.bytes(of: self.entry("a"), in: other) == nil)
        }
    }

    @Test(.bug(id: "F586")) func `a body that is being read is delivered to its end, and makes no new folder`()
        async throws
    {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 4 << 20)
            try await self.store(PatternBytes.bytes(600_000), as: self.entry("a"), in: store)
            let found = try #require(try await store.responses(for: self.entry("a").key).first)
            let body = try #require(try await store.body(of: found, range: nil))
            try FileManager.default.removeItem(at: folder)
            let bytes = Array(try await body.collect(upTo: 1 << 20).readableBytesView)
            #expect(bytes == PatternBytes.bytes(600_000))
            #expect(!FileManager.default.fileExists(atPath: folder.path()))
        }
    }
}
