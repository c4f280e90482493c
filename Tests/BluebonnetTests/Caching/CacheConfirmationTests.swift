// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// What the server says later about a stored response: it confirms or contradicts it.
@Suite(.timeLimit(.minutes(1))) struct CacheConfirmationTests {
    private func request(_ method: HTTPRequest.Method = .get, _ user: String? = nil) throws -> Request {
        var request = Request(method: method, url: try Peer.url("http://h/"))
        request.headers[.cookie] = user
        return request
    }

    /// A server whose response says nothing of the cookie that it depends on.
    private static func forgetful() -> StubTransport {
        StubTransport { request in
            let headers: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"a\"", .vary: "Accept"]
            let isConfirmed = request.method == .head || request.headers[.ifNoneMatch] != nil
            return .plain(
                isConfirmed ? "" : request.headers[.cookie] ?? "",
                status: isConfirmed && request.method == .get ? 304 : 200,
                headers: headers
            )
        }
    }

    @Test(.bug(id: "F467"), arguments: [HTTPRequest.Method.get, .head])
    func `what willCache sets outlives a confirmation`(_ method: HTTPRequest.Method) async throws {
        let transport = Self.forgetful()
        let (session, store) = cachingSession(transport) { cache in
            cache.wallClock = WallClock { 784_111_777 }
            cache.willCache = { proposal in
                var proposal = proposal
                proposal.headers[.vary] = "Cookie"
                proposal.headers[.cacheControl] = "max-age=60"
                return proposal
            }
        }
        #expect(try await session.response(for: self.request(.get, "a")).body == Data("a".utf8))
        var reload = try self.request(method, "a")
        reload.options.cachePolicy = .reloadRevalidatingCacheData
        let confirmed = try await session.response(for: reload)
        #expect(confirmed.status == .ok)
        if method == .get { #expect(confirmed.cacheStatus?.timeToLive == .seconds(60)) }
        let stored = try await store.responses(for: CacheKey(text: "http://h/"))
        #expect(stored.map { $0.headers[.vary] } == ["Cookie"])
        let other = try await session.response(for: self.request(.get, "b"))
        #expect(other.body == Data("b".utf8) && other.cacheStatus?.isHit == false)
        let again = try await session.response(for: self.request(.get, "a"))
        #expect(again.body == Data("a".utf8) && again.cacheStatus?.isHit == true)
    }

    @Test(.bug(id: "F467")) func `a confirmed response that willCache refuses is delivered, and removed`() async throws
    {
        let count = Mutex(0)
        let (session, store) = cachingSession(Self.forgetful()) { cache in
            cache.willCache = { proposal in
                count.withLock { count in
                    count += 1
                    return count == 1 ? proposal : nil
                }
            }
        }
        _ = try await session.response(for: self.request(.get, "a"))
        #expect(store.count == 1)
        let confirmed = try await session.response(for: self.request(.get, "a"))
        #expect(confirmed.body == Data("a".utf8) && store.count == 0)
    }

    @Test(.bug(id: "F471"), arguments: [HTTPRequest.Method.get, .head])
    func `a response that a 304 contradicts does not stand in for the error that follows`(
        _ method: HTTPRequest.Method
    ) async throws {
        let count = Mutex(0)
        let transport = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return .plain("a", headers: [.cacheControl: "max-age=0, stale-if-error=60", .eTag: "\"a\""])
            case 2: return .plain("", status: 304, headers: [.eTag: "\"b\""])
            default: throw TransportError(.connectFailed, phase: .connect, reason: "nobody is there")
            }
        }
        let (session, store) = cachingSession(transport)
        _ = try await session.response(for: self.request())
        let error = await #expect(throws: SessionError.self) { try await session.response(for: self.request(method)) }
        #expect(error?.code == .connectFailed && count.withLock { $0 } == 3 && store.count == 0)
    }
}
