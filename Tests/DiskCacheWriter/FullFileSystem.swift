// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetDiskCache
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore

/// Uses a cache on a full file system, and writes a line for each look at what is stored.
struct FullFileSystem {
    private let folder: URL
    private let store: DiskCacheStore
    private let session: Session

    init(_ folder: URL) throws {
        self.folder = folder
        self.store = try DiskCacheStore(at: folder, maximumByteCount: 1 << 30)
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: self.store)
        let transport = StubTransport { request in
            // The path is the length of the body.
            let count = Int(request.target.dropFirst()) ?? 0
            let bytes = request.method == .get ? PatternBytes.bytes(count) : []
            let headers: HTTPFields = [.cacheControl: "max-age=100000", .contentLength: "\(bytes.count)"]
            return TransportResponse(status: .ok, headers: headers, body: ResponseBody(ByteBuffer(bytes: bytes)))
        }
        self.session = Session(configuration: configuration, transport: transport)
    }

    private func isHit(_ byteCount: Int, _ method: HTTPRequest.Method = .get) async throws -> Bool {
        guard let url = URL(string: "http://h/\(byteCount)") else { return false }
        let response = try await self.session.response(for: Request(method: method, url: url))
        return response.cacheStatus?.isHit == true
    }

    /// Another process knows nothing of what the store notes in memory.
    private func isStoredForOthers(_ byteCount: Int) async throws -> Bool {
        let other = try DiskCacheStore(at: self.folder, maximumByteCount: 1 << 30)
        return try await !other.responses(for: CacheKey(text: "http://h/\(byteCount)")).isEmpty
    }

    /// Fills the file system with stored responses.
    func fillWithResponses() async throws {
        var largest = 0
        // Four times what the file system holds.
        for number in 0..<200 {
            _ = try await self.isHit(200_000 + number)
            largest = try max(largest, self.store.byteCount())
        }
        print("filled \(largest > 2_000_000)")
        // It is full of the cache's own files; a few attempts make room for what is asked for now.
        for _ in 0..<20 { _ = try await self.isHit(1000) }
        let isStored = try await self.isHit(1000)
        print("stores \(isStored)")
        _ = try await self.isHit(1000, .delete)
        let isLeft = try await self.isStoredForOthers(1000)
        print("invalidates \(!isLeft)")
        try await self.store.removeAll()
        let byteCount = try DiskCacheStore(at: self.folder, maximumByteCount: 1 << 30).byteCount()
        print("empties \(byteCount == 0)")
    }

    /// Fills the file system with the file of another program, and removes that again.
    func fillWithFile() async throws {
        for number in 0..<5 { _ = try await self.isHit(100_000 + number) }
        let file = self.folder.appending(path: "file").path()
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let piece = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, piece, piece.count) > 0 {}
        for number in 5..<8 { _ = try await self.isHit(100_000 + number) }
        unlink(file)
        close(descriptor)
        // A small body, and one that is read over a connection of its own.
        for byteCount in [50_000, 300_000] {
            _ = try await self.isHit(byteCount)
            let isStored = try await self.isHit(byteCount)
            let isStoredForOthers = try await self.isStoredForOthers(byteCount)
            print("stores \(isStored), for others \(isStoredForOthers)")
        }
        _ = try await self.isHit(50_000, .delete)
        let isLeft = try await self.isStoredForOthers(50_000)
        print("invalidates \(!isLeft)")
    }
}
