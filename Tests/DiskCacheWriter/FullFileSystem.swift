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

/// Fills the file system of a folder with stored responses, and writes a line for each look at what is stored.
enum FullFileSystem {
    static func fill(_ folder: URL) async throws {
        let store = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 30)
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: store)
        let transport = StubTransport { request in
            let bytes = request.method == .get ? PatternBytes.bytes(200_000) : []
            let headers: HTTPFields = [.cacheControl: "max-age=100000", .contentLength: "\(bytes.count)"]
            return TransportResponse(status: .ok, headers: headers, body: ResponseBody(ByteBuffer(bytes: bytes)))
        }
        let session = Session(configuration: configuration, transport: transport)
        func isHit(_ number: Int, _ method: HTTPRequest.Method = .get) async throws -> Bool {
            guard let url = URL(string: "http://h/\(number)") else { return false }
            let response = try await session.response(for: Request(method: method, url: url))
            return response.cacheStatus?.isHit == true
        }
        var largest = 0
        // Four times what the file system holds.
        for number in 0..<200 {
            _ = try await isHit(number)
            largest = try max(largest, store.byteCount())
        }
        print("filled \(largest > 2_000_000)")
        // It is full of the cache's own files; a few attempts make room for what is asked for now.
        for _ in 0..<20 { _ = try await isHit(1000) }
        let isStored = try await isHit(1000)
        print("stores \(isStored)")
        _ = try await isHit(1000, .delete)
        // Another process knows nothing of what this store notes in memory.
        let other = try DiskCacheStore(directory: folder, maximumByteCount: 1 << 30)
        let left = try await other.responses(for: CacheKey(text: "http://h/1000"))
        print("invalidates \(left.isEmpty)")
        try await store.removeAll()
        let byteCount = try other.byteCount()
        print("empties \(byteCount == 0)")
    }
}
