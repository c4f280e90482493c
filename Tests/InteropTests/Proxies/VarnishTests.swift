// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// The session's cache behind another one: Varnish, which adds ages, answers conditions and gives stale responses by itself.
@Suite(.timeLimit(.minutes(1)))
struct VarnishTests {
    private static func withCache(_ body: (HTTPSession) async throws -> Void) async throws {
        try await ExternalServer.run(.varnish) { server in
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            configuration.engine = NIOTransport.Configuration()
            configuration.engine?.proxy = .direct
            let http = HTTPSession(baseURL: server.http, configuration: configuration)
            do {
                try await body(http)
            } catch {
                await http.session.shutdown()
                throw error
            }
            await http.session.shutdown()
        }
    }

    private static func options(_ policy: RequestOptions.CachePolicy) -> RequestOptions {
        var options = RequestOptions()
        options.cachePolicy = policy
        return options
    }

    /// Whether Varnish had the response: it then names two transactions, its own and the one that has stored it.
    private static func isVarnishHit(_ response: Response) throws -> Bool {
        let name = try #require(HTTPField.Name("X-Varnish"))
        let field = try #require(response.headers[name])
        return field.split(separator: " ").count == 2
    }

    private static func text(_ response: Response) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `the age that Varnish states is a part of ours`() async throws {
        try await Self.withCache { http in
            let first = try await http.get("aged")
            #expect(Self.text(first) == "/aged 1")
            #expect(first.headers[.via]?.contains("varnish") == true)
            let age = try #require(first.headers[.age].flatMap { Int($0) })
            #expect(age >= 3600)
            // Of 3,610 seconds.
            let left = try #require(first.cacheStatus?.timeToLive)
            #expect(left <= .seconds(10) && first.cacheStatus?.isStored == true)
            let second = try await http.get("aged")
            #expect(Self.text(second) == "/aged 1" && second.cacheStatus?.isHit == true)
            #expect(try #require(second.headers[.age].flatMap { Int($0) }) >= age)
        }
    }

    @Test func `a reload gets what Varnish has, and a reload past all caches what the server has`() async throws {
        try await Self.withCache { http in
            _ = try await http.get("tagged")
            let reload = try await http.get("tagged", options: Self.options(.reloadIgnoringLocalCacheData))
            #expect(try Self.isVarnishHit(reload))
            #expect(Self.text(reload) == "/tagged 1" && reload.cacheStatus?.forward == .bypass)
            // Varnish takes no orders from clients, unless it is told to; the field is there for caches that do.
            let all = try await http.get("tagged", options: Self.options(.reloadIgnoringLocalAndRemoteCacheData))
            #expect(all.cacheStatus?.forward == .bypass)
        }
    }

    @Test func `Varnish confirms what is stored with 304, without asking the server`() async throws {
        try await Self.withCache { http in
            _ = try await http.get("tagged")
            let confirmed = try await http.get("tagged", options: Self.options(.reloadRevalidatingCacheData))
            #expect(confirmed.status == .ok && confirmed.cacheStatus?.forwardStatus == 304)
            #expect(Self.text(confirmed) == "/tagged 1")
        }
    }

    @Test func `the variants of a response are kept apart in both caches`() async throws {
        try await Self.withCache { http in
            for round in 0..<2 {
                for (index, language) in ["de", "en", "fr"].enumerated() {
                    let response = try await http.get("language", headers: [.acceptLanguage: language])
                    #expect(Self.text(response) == "\(language) /language \(index + 1)")
                    #expect(response.cacheStatus?.isHit == (round == 1))
                }
            }
            let reload = try await http.get(
                "language",
                headers: [.acceptLanguage: "de"],
                options: Self.options(.reloadIgnoringLocalCacheData)
            )
            #expect(try Self.isVarnishHit(reload) && Self.text(reload) == "de /language 1")
        }
    }

    @Test func `a stale response of Varnish's grace is used while it is refreshed`() async throws {
        try await Self.withCache { http in
            let first = try await http.get("grace")
            #expect(Self.text(first) == "/grace 1")
            let ttl = try #require(first.cacheStatus?.timeToLive)
            #expect(ttl <= .zero && first.cacheStatus?.isStored == true)
            let second = try await http.get("grace")
            #expect(second.cacheStatus?.isHit == true && Self.text(second).hasPrefix("/grace "))
            let reload = try await http.get("grace", options: Self.options(.reloadIgnoringLocalCacheData))
            #expect(try Self.isVarnishHit(reload))
        }
    }

    @Test func `a change goes through both caches, and removes what is stored here`() async throws {
        try await Self.withCache { http in
            _ = try await http.get("tagged")
            #expect(try await http.get("tagged").cacheStatus?.isHit == true)
            #expect(Self.text(try await http.post("tagged")) == "changed")
            let after = try await http.get("tagged")
            #expect(after.cacheStatus?.forward == .uriMiss)
            #expect(try Self.isVarnishHit(after), "Varnish removes nothing because of a POST")
        }
    }
}
