// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Which requests may share a stored response: routes, certificates, trust and selecting header fields.
@Suite(.timeLimit(.minutes(1))) struct CacheKeyTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]

    private func request() throws -> Request { Request(url: try Peer.url("http://h/")) }

    private struct NoTrust: TrustEvaluator, Hashable {
        func evaluate(_ server: ServerTrust) async throws {}
    }

    /// What asks which server, and shows it whose certificate; the first of them names neither.
    private static let routes: [@Sendable (inout TransportOptions) -> Void] = [
        { _ in },
        { $0.unixSocketPath = "/run/a" },
        { $0.unixSocketPath = "/run/b" },
        { $0.clientIdentity = .pem(certificates: .file("a.pem")) },
        { $0.clientIdentity = .pem(certificates: .file("b.pem")) },
        { $0.clientIdentity = .pkcs12(.bytes([1]), passphrase: "") },
        { $0.clientIdentity = .pkcs12(.bytes([2]), passphrase: "") },
        { options in
            options.unixSocketPath = "/run/a"
            options.clientIdentity = .pem(certificates: .file("a.pem"))
        },
    ]

    /// Answers with the server that a request went to, and the certificate that it showed.
    private static func naming() -> StubTransport {
        StubTransport { request in
            let identity = request.clientIdentity.map { "\($0) \($0.hashValue)" }
            return .plain("\(request.unixSocketPath ?? "-") \(identity ?? "-")", headers: Self.fresh)
        }
    }

    @Test(arguments: [true, false])
    func `sockets and client certificates share no stored response`(_ isSessions: Bool) async throws {
        let transport = Self.naming()
        var configuration = Session.Configuration()
        configuration.cache = .memory()
        let clients = try Self.routes.map { change in
            var (configuration, request) = (configuration, try self.request())
            if isSessions { change(&configuration.transportOptions) } else { change(&request.transportOptions) }
            return (session: Session(configuration: configuration, transport: transport), request: request)
        }
        var answers: [Data] = []
        for (session, request) in clients { answers.append(try await session.response(for: request).body) }
        #expect(Set(answers).count == Self.routes.count)
        for ((session, request), answer) in zip(clients, answers) {
            let response = try await session.response(for: request)
            #expect(response.cacheStatus?.isHit == true && response.body == answer)
        }
        // A change behind one socket says nothing of the other one.
        var post = clients[1].request
        post.method = .post
        _ = try await clients[1].session.response(for: post)
        for (index, client) in clients.enumerated() {
            let response = try await client.session.response(for: client.request)
            #expect(response.cacheStatus?.isHit == (index != 1))
        }
    }

    /// Two sites of one server, the second of them by its own URL as well.
    @Test(.bug(id: "F465")) func `a Host field of the request has stored responses of its own`() async throws {
        let host = try #require(HTTPField.Name("Host"))
        let transport = StubTransport { .plain($0.headers[host] ?? "-", headers: Self.fresh) }
        let (session, store) = cachingSession(transport)
        func response(_ site: String?, _ method: HTTPRequest.Method = .get) async throws -> Response {
            var request = try self.request()
            request.method = method
            request.headers[host] = site
            return try await session.response(for: request)
        }
        for site in ["a.example", "b.example", "b.example:81", nil] {
            let first = try await response(site)
            #expect(first.cacheStatus?.isHit == false && first.body == Data((site ?? "-").utf8))
            let second = try await response(site)
            #expect(second.cacheStatus?.isHit == true && second.body == first.body)
        }
        // The same site, written otherwise.
        for site in ["h", "H", "h:80"] { #expect(try await response(site).cacheStatus?.isHit == true) }
        for site in ["A.example", "a.example:80"] { #expect(try await response(site).body == Data("a.example".utf8)) }
        #expect(store.count == 4)
        _ = try await response("b.example", .delete)
        #expect(try await response("a.example").cacheStatus?.isHit == true)
        #expect(try await response("b.example").cacheStatus?.isHit == false)
    }

    @Test func `an engine's socket and certificate are in the key, and the session's certificate only at home`() throws
    {
        let target = try RequestTarget(Peer.url("http://h/"))
        let (request, engine) = (try self.request(), NIOTransport.Configuration())
        var away = request
        away.context[HomeOrigin.self] = HomeOrigin(origin: Origin(scheme: .http, host: "home"))
        func marks(_ change: (inout Session.Configuration) -> Void) -> (home: String, away: String) {
            var configuration = Session.Configuration()
            change(&configuration)
            let routes = CacheRoutes(configuration)
            return (
                routes.mark(of: request, nil, target.origin, home: nil),
                routes.mark(of: away, nil, target.origin, home: nil)
            )
        }
        #expect(marks { $0.engine = engine } == ("", ""))
        let engineSocket = marks { configuration in
            configuration.engine = engine
            configuration.engine?.unixSocketPath = "/run/a"
        }
        #expect(!engineSocket.home.isEmpty && engineSocket.home == engineSocket.away)
        let engineIdentity = marks { $0.tls.clientIdentity = .pkcs12(.bytes([1]), passphrase: "") }
        #expect(!engineIdentity.home.isEmpty && engineIdentity.home == engineIdentity.away)
        let identity = marks { $0.transportOptions.clientIdentity = .pkcs12(.bytes([1]), passphrase: "") }
        #expect(identity == (engineIdentity.home, ""))
    }

    @Test(
        arguments: [
            { $0.proxy = ProxyConfiguration.direct },
            { $0.trust = NoTrust() },
            { $0.securityPolicy = SecurityPolicy() },
            {
                $0.pins = [
                    "other": [.sha256([UInt8](repeating: 1, count: 32)), .sha256([UInt8](repeating: 2, count: 32))]
                ]
            },
        ] as [@Sendable (inout TransportOptions) -> Void]
    )
    func `a request with a proxy or a trust of its own passes the cache by`(
        _ change: @Sendable (inout TransportOptions) -> Void
    ) async throws {
        let (session, store) = cachingSession(Self.naming())
        var request = try self.request()
        change(&request.transportOptions)
        for _ in 0..<2 { #expect(try await session.response(for: request).cacheStatus?.forward == .bypass) }
        #expect(store.count == 0)
        // What a strict request has brought is not for it either.
        _ = try await session.response(for: self.request())
        #expect(try await session.response(for: request).cacheStatus?.forward == .bypass)
    }

    @Test(arguments: ["Cookie", "User-Agent"])
    func `values that differ in a byte that is not UTF-8 select different responses`(_ name: String) async throws {
        let name = try #require(HTTPField.Name(name))
        var headers = Self.fresh
        headers[.vary] = name.rawName
        let (session, store) = cachingSession(StubTransport { [headers] _ in .plain("", headers: headers) })
        let requests = try [UInt8(0xE8), 0xE9].map { byte in
            var request = try self.request()
            request.headers.append(HTTPField(name: name, lenientValue: [UInt8(ascii: "a"), byte]))
            return request
        }
        for request in requests { #expect(try await session.response(for: request).cacheStatus?.isHit == false) }
        #expect(store.count == 2)
        for request in requests { #expect(try await session.response(for: request).cacheStatus?.isHit == true) }
    }

    @Test func `an accent that is written otherwise selects a different response`() async throws {
        var headers = Self.fresh
        headers[.vary] = "User-Agent"
        let (session, store) = cachingSession(StubTransport { [headers] _ in .plain("", headers: headers) })
        for value in ["caf\u{E9}", "cafe\u{301}"] {
            var request = try self.request()
            request.headers[.userAgent] = value
            #expect(try await session.response(for: request).cacheStatus?.isHit == false)
        }
        #expect(store.count == 2)
    }
}
