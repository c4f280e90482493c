// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes

/// A kind of call that is measured.
struct Subject: Sendable {
    var name: String
    /// Makes the call once.
    var call: @Sendable () async throws -> Void

    /// All kinds of calls, beginning with the transport alone.
    static var all: [Subject] {
        get throws {
            let transport = ImmediateTransport()
            let bare = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 80), target: "/small")
            guard let url = URL(string: "http://127.0.0.1/small") else { throw CocoaError(.coderInvalidValue) }
            let request = Request(url: url)
            let session = Session(transport: transport)
            let api = try HTTPSession("http://127.0.0.1", transport: transport)
            let browser = Session(configuration: .browserLikeWithRetries, transport: transport)
            // Neither the cache nor the de-duplication has anything to do with it.
            let options = Request(method: .options, url: url)
            let jar = CookieJar()
            for number in 0..<20 { try jar.set(Cookie("name\(number)", "value", domain: "127.0.0.1")) }
            var laden = Session.Configuration()
            laden.cookies = jar
            let cookies = Session(configuration: laden, transport: transport)
            var signing = Session.Configuration()
            signing.authentication = .bearer("token", for: bare.origin)
            let signed = Session(configuration: signing, transport: transport)
            // The first call, which is not measured, is challenged; the others are answered before they are.
            signing.authentication = .password("user", "password", for: bare.origin)
            let digest = Session(
                configuration: signing,
                transport: ImmediateTransport(
                    challenge: #"Digest realm="bench", nonce="bm9uY2U", qop="auth", algorithm=SHA-256"#
                )
            )
            var caching = Session.Configuration()
            caching.cache = .memory()
            let cached = Session(
                configuration: caching,
                transport: ImmediateTransport(headers: [.cacheControl: "max-age=3600"])
            )
            return [
                Subject(name: "the transport alone") { _ = try await transport.exchange(bare) },
                Subject(name: "session.response(for: request)") { _ = try await session.response(for: request) },
                Subject(name: "session.send(request)") { _ = try await session.send(request) },
                Subject(name: "api.get(\"small\")") { _ = try await api.get("small") },
                Subject(name: "browserLike with retries") { _ = try await browser.response(for: request) },
                Subject(name: "the same, OPTIONS") { _ = try await browser.response(for: options) },
                Subject(name: "20 cookies") { _ = try await cookies.response(for: request) },
                Subject(name: "a bearer token") { _ = try await signed.response(for: request) },
                Subject(name: "a Digest answer") { _ = try await digest.response(for: request) },
                Subject(name: "a cache hit in memory") { _ = try await cached.response(for: request) },
            ]
        }
    }
}

extension Session.Configuration {
    /// A configuration with every stage in the chain; nothing is cached and there are no cookies.
    fileprivate static var browserLikeWithRetries: Self {
        var configuration = Self.browserLike
        configuration.retries = .idempotent(attempts: 4)
        // The responses of the benchmark are not cached.
        configuration.cache?.willCache = { _ in nil }
        return configuration
    }
}
