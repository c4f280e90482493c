// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// The session's cache with the validators and lifetimes that nginx gives, and the redirects that it sends.
@Suite(.timeLimit(.minutes(1)))
struct NginxCachingTests {
    @Test
    func `a file that nginx lets live an hour is not asked for again`() async throws {
        try await Self.withCache { http, server in
            try server.write(Data("first".utf8), as: "file.txt")
            #expect(try await http.get("cached/file.txt").cacheStatus?.isStored == true)
            try server.write(Data("the second".utf8), as: "file.txt")
            let response = try await http.get("cached/file.txt")
            #expect(response.cacheStatus?.isHit == true)
            #expect(response.body == Data("first".utf8))
        }
    }

    @Test
    func `a file is confirmed with 304 until it changes`() async throws {
        try await Self.withCache { http, server in
            try server.write(Data("first".utf8), as: "file.txt")
            _ = try await http.get("cached/file.txt")
            var options = RequestOptions()
            options.cachePolicy = .reloadRevalidatingCacheData
            let confirmed = try await http.get("cached/file.txt", options: options)
            #expect(confirmed.status == .ok)
            #expect(confirmed.cacheStatus?.forwardStatus == 304)
            #expect(confirmed.body == Data("first".utf8))
            // Another length is another entity tag, whatever the clock of the file system says.
            try server.write(Data("the second".utf8), as: "file.txt")
            let changed = try await http.get("cached/file.txt", options: options)
            #expect(changed.cacheStatus?.forwardStatus == 200)
            #expect(changed.body == Data("the second".utf8))
            #expect(try await http.get("cached/file.txt").body == Data("the second".utf8))
        }
    }

    @Test
    func `a part of a stored file is answered from the store`() async throws {
        try await Self.withCache { http, server in
            let data = patternedData(count: 100_000)
            try server.write(data, as: "file.bin")
            var options = RequestOptions()
            options.decodesContent = false
            _ = try await http.get("cached/file.bin", options: options)
            let part = try await http.get("cached/file.bin", headers: [.range: "bytes=1000-1999"], options: options)
            #expect(part.status == .partialContent)
            #expect(part.cacheStatus?.isHit == true, "\(String(describing: part.cacheStatus))")
            #expect(part.body == data[1000..<2000])
        }
    }

    @Test
    func `a redirect of nginx is followed, and is in the history`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            let response = try await http.get("status/301")
            #expect(response.status == .ok)
            #expect(response.body == Data("hello".utf8))
            #expect(response.history.map(\.status.code) == [301])
        }
    }

    private static func withCache(_ body: (HTTPSession, ExternalServer) async throws -> Void) async throws {
        try await ExternalServer.run(.nginx) { server in
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            configuration.engine = NIOTransport.Configuration()
            configuration.engine?.proxy = .direct
            let http = HTTPSession(baseURL: server.http, configuration: configuration)
            do {
                try await body(http, server)
                await http.session.shutdown()
            } catch {
                await http.session.shutdown()
                throw error
            }
        }
    }
}
