// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// Which of several stored responses is used, in memory and on disk.
@Suite(.timeLimit(.minutes(1)), .bug(id: "F418")) struct CacheStoreRecencyTests: DiskCacheScene {
    /// Runs a test with a session over each store; its clock stands still.
    private func withSessions(
        _ transport: StubTransport,
        _ body: (Session) async throws -> Void
    ) async throws {
        try await self.withFolder { folder in
            let stores: [any CacheStore] = [
                MemoryCacheStore(maximumByteCount: 1 << 20),
                try DiskCacheStore(at: folder, maximumByteCount: 1 << 20),
            ]
            for store in stores {
                var cache = ResponseCache(store: store)
                cache.wallClock = WallClock { 784_111_777 }
                var configuration = Session.Configuration()
                configuration.cache = cache
                let session = Session(configuration: configuration, transport: transport)
                try await body(session)
                await session.shutdown()
            }
        }
    }

    private func request(_ path: Int, _ language: String) throws -> Request {
        var request = Request(url: try #require(URL(string: "http://h/\(path)")))
        request.headers[.acceptLanguage] = language
        return request
    }

    /// A server whose responses vary for `en`, and not for another language or a reload.
    private static func origin() -> StubTransport {
        StubTransport { request in
            let isFirst = request.headers[.acceptLanguage] == "en" && request.headers[.cacheControl] == nil
            var headers: HTTPFields = [.cacheControl: "max-age=60"]
            if isFirst { headers[.vary] = "Accept-Language" }
            let body = ResponseBody(ByteBuffer(string: isFirst ? "first" : "second"))
            return TransportResponse(status: .ok, headers: headers, body: body)
        }
    }

    @Test func `a reload whose response has another Vary is what is used next`() async throws {
        try await self.withSessions(Self.origin()) { session in
            // Several, because an order by identifiers would be right for half of them.
            for path in 0..<10 {
                _ = try await session.response(for: self.request(path, "en"))
                var reload = try self.request(path, "en")
                reload.options.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
                #expect(try await session.response(for: reload).body == Data("second".utf8))
                let next = try await session.response(for: self.request(path, "en"))
                #expect(next.body == Data("second".utf8) && next.cacheStatus?.isHit == true)
            }
        }
    }

    @Test func `of two that match and arrived in one second the later one is used`() async throws {
        try await self.withSessions(Self.origin()) { session in
            for path in 0..<10 {
                _ = try await session.response(for: self.request(path, "en"))
                _ = try await session.response(for: self.request(path, "de"))
                let next = try await session.response(for: self.request(path, "en"))
                #expect(next.body == Data("second".utf8) && next.cacheStatus?.isHit == true)
            }
        }
    }

    @Test func `a head of an earlier version is read`() throws {
        let encoded = Array("200 784111777 1 5 1 0\nETag\0\"a\"".utf8)
        let found = try #require(StoredResponse(encoded: encoded, id: UUID(), key: CacheKey(text: "k")))
        #expect(found.arrivalNumber == 0 && found.bodyByteCount == 5 && found.headers == [.eTag: "\"a\""])
    }
}
