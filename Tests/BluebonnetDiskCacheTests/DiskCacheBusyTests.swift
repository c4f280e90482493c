// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetDiskCache

/// Calls while another connection holds the database, as a process does that was stopped while it wrote.
@Suite(.timeLimit(.minutes(2)), .serialized, .bug(id: "F415")) struct DiskCacheBusyTests: DiskCacheScene {
    private static func session(_ folder: URL, byteCount: Int) throws -> (Session, StubTransport) {
        let transport = StubTransport { request in
            // Only GET: a change removes what is stored.
            let body = request.method == .get ? PatternBytes.bytes(byteCount) : []
            return TransportResponse(
                status: .ok,
                headers: [.cacheControl: "max-age=1000", .contentLength: "\(body.count)"],
                body: ResponseBody(ByteBuffer(bytes: body))
            )
        }
        var configuration = Session.Configuration()
        configuration.cache = try .disk(at: folder, maximumByteCount: 64 << 20)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    private static func request(_ path: Int, limit: Duration?, _ method: HTTPRequest.Method = .get) throws -> Request {
        var request = Request(method: method, url: try #require(URL(string: "http://h/\(path)")))
        request.options.totalTimeout = limit
        return request
    }

    private func lock(_ folder: URL) throws -> Database {
        let other = try Database(path: folder.appending(path: "responses-1.sqlite").path())
        try other.execute("BEGIN IMMEDIATE")
        return other
    }

    /// Makes twenty calls at once.
    ///
    /// - Returns: The size of each body.
    private static func callTwentyTimes(
        _ session: Session,
        limit: Duration?,
        _ method: HTTPRequest.Method
    ) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for path in 0..<20 {
                group.addTask {
                    try await session.response(for: self.request(path, limit: limit, method)).body.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        // bytes of a body, the limit of each call in milliseconds
        arguments: [(5, 1000), (5, 200), (5, nil), (400_000, 1000), (400_000, 200)],
        [HTTPRequest.Method.get, .delete]
    )
    func `many calls end in time with their responses, and no task stands still`(
        _ kind: (byteCount: Int, limit: Int?),
        _ method: HTTPRequest.Method
    ) async throws {
        try await self.withFolder { folder in
            let (session, _) = try Self.session(folder, byteCount: kind.byteCount)
            _ = try await session.response(for: Self.request(100, limit: nil))
            let other = try self.lock(folder)
            let limit = kind.limit.map { Duration.milliseconds($0) }
            let start = ContinuousClock.now
            let (counts, pause) = try await Ticker.longestPause {
                try await Self.callTwentyTimes(session, limit: limit, method)
            }
            #expect(ContinuousClock.now - start < .seconds(2))
            #expect(pause < .milliseconds(500))
            #expect(counts == Array(repeating: method == .get ? kind.byteCount : 0, count: 20))
            try other.execute("ROLLBACK")
            await session.shutdown()
        }
    }

    @Test func `what is stored is found, also by a store that is opened meanwhile, and storing goes on afterwards`()
        async throws
    {
        try await self.withFolder { folder in
            let (first, _) = try Self.session(folder, byteCount: 400_000)
            _ = try await first.response(for: Self.request(1, limit: nil))
            let other = try self.lock(folder)
            let (second, transport) = try Self.session(folder, byteCount: 400_000)
            for session in [first, second] {
                let response = try await session.response(for: Self.request(1, limit: .seconds(1)))
                #expect(response.cacheStatus?.isHit == true && response.body.count == 400_000)
            }
            #expect(try await second.response(for: Self.request(2, limit: nil)).body.count == 400_000)
            try other.execute("ROLLBACK")
            for isHit in [false, true] {
                let response = try await second.response(for: Self.request(2, limit: nil))
                #expect(response.cacheStatus?.isHit == isHit)
            }
            #expect(transport.requests.count == 2)
            await first.shutdown()
            await second.shutdown()
        }
    }

    @Test func `a short wait for another process costs no response its place`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20)
            let other = try self.lock(folder)
            async let stored: Void = self.store([1, 2], as: self.entry("a"), in: store)
            // The entry is not there before the other connection is done.
            #expect(try await store.responses(for: self.entry("a").key).isEmpty)
            try other.execute("ROLLBACK")
            try await stored
            #expect(try await self.bytes(of: self.entry("a"), in: store) == [1, 2])
        }
    }

    @Test func `a call that is cancelled while the store waits ends at once`() async throws {
        try await self.withFolder { folder in
            let store = try DiskCacheStore(at: folder, maximumByteCount: 8 << 20)
            let other = try self.lock(folder)
            let task = Task { try await store.removeAll() }
            task.cancel()
            let error = await #expect(throws: (any Error).self) { try await task.value }
            #expect(error is CancellationError)
            try other.execute("ROLLBACK")
        }
    }

    @Test(.bug(id: "F451"))
    func `what is invalidated is not reused while the database is busy, and removed afterwards`() async throws {
        try await self.withFolder { folder in
            let (session, transport) = try Self.session(folder, byteCount: 5)
            _ = try await session.response(for: Self.request(1, limit: nil))
            let other = try self.lock(folder)
            _ = try await session.response(for: Self.request(1, limit: nil, .delete))
            #expect(try await session.response(for: Self.request(1, limit: nil)).cacheStatus?.isHit == false)
            #expect(transport.requests.count == 3)
            try other.execute("ROLLBACK")
            // Nobody uses the session any more: the store itself tries again.
            let otherStore = try DiskCacheStore(at: folder, maximumByteCount: 64 << 20)
            let key = CacheKey(text: "http://h/1")
            while try await !otherStore.responses(for: key).isEmpty { await Task.yield() }
            await session.shutdown()
        }
    }
}
