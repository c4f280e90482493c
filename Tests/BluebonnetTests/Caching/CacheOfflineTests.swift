// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Requests with `only-if-cached`, which the server never gets (RFC 9111 section 5.2.1.7).
@Suite(.timeLimit(.minutes(1))) struct CacheOfflineTests {
    @Test(
        .bug(id: "F555"),
        arguments: ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "GET If-Match", "GET If-Unmodified-Since", "GET body"]
    )
    func `only-if-cached keeps every request from the server`(_ kind: String) async throws {
        let transport = StubTransport { _ in .plain("server") }
        var configuration = Session.Configuration()
        configuration.headers[.cacheControl] = "only-if-cached, max-stale"
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        let words = kind.split(separator: " ").map(String.init)
        var request = try Request(methodName: words[0], parsing: "http://h/x")
        switch words.last {
        case "body": request.body = .data(Data("body".utf8))
        case "If-Match": request.headers[.ifMatch] = "\"a\""
        case "If-Unmodified-Since": request.headers[.ifUnmodifiedSince] = "Thu, 01 Jan 1970 00:00:00 GMT"
        default: break
        }
        let session = Session(configuration: configuration, transport: transport)
        let response = try await session.response(for: request)
        #expect(response.status == .gatewayTimeout)
        #expect(response.cacheStatus?.description == "Bluebonnet; detail=only-if-cached")
        #expect(transport.requests.isEmpty)
        // A policy of the request decides about stored responses instead of the directive.
        request.options.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(try await session.response(for: request).status == .ok)
    }

    // MARK: Tokens

    /// A request that prefers stored responses, or that must not be sent.
    enum Wish: String, CaseIterable, Sendable {
        case dontLoad, elseLoad, directive, sessionDirective

        func apply(to request: inout Request) {
            switch self {
            case .dontLoad: request.options.cachePolicy = .returnCacheDataDontLoad
            case .elseLoad: request.options.cachePolicy = .returnCacheDataElseLoad
            case .directive: request.headers[.cacheControl] = "only-if-cached"
            case .sessionDirective: break
            }
        }
    }

    @Test(.bug(id: "F809"), arguments: Wish.allCases)
    func `a stored response needs no new token`(_ wish: Wish) async throws {
        let clock = ManualSessionClock()
        let authenticator = FakeAuthenticator { _, _ in throw SessionError(.connectFailed, reason: "it is down") }
        let token = AccessToken("old", lifetime: .seconds(60), clock: clock.clock)
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(
            TokenSource(authenticator, token: token),
            for: AuthenticationStageTests.home
        )
        configuration.cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        configuration.clock = clock.clock
        let transport = StubTransport { _ in .plain("stored", headers: [.cacheControl: "max-age=3600"]) }
        _ = try await Session(configuration: configuration, transport: transport)
            .response(for: AuthenticationStageTests.request())
        clock.advance(by: .seconds(120))
        if wish == .sessionDirective { configuration.headers[.cacheControl] = "only-if-cached" }
        let session = Session(configuration: configuration, transport: transport)
        var request = try AuthenticationStageTests.request()
        wish.apply(to: &request)
        let response = try await session.response(for: request)
        #expect(response.body == Data("stored".utf8) && response.cacheStatus?.isHit == true)
        #expect(response.request?.options == request.options)
        // Of another URL nothing is stored.
        var other = try AuthenticationStageTests.request("http://h/other")
        wish.apply(to: &other)
        switch wish {
        case .directive, .sessionDirective:
            #expect(try await session.response(for: other).status == .gatewayTimeout)
        case .dontLoad, .elseLoad:
            let error = await #expect(throws: SessionError.self) { try await session.response(for: other) }
            #expect(error?.code == (wish == .dontLoad ? .notCached : .authenticationFailed))
        }
        #expect(authenticator.calls.elements.count == (wish == .elseLoad ? 1 : 0))
        #expect(transport.requests.count == 1)
    }
}
