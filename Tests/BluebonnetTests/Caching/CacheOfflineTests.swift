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
}
