// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// A proxy that forwards requests asks who the client is: the test server plays the proxy, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct ProxyChallengeStageTests {
    static let digest = HTTPField(name: .proxyAuthenticate, value: "Digest realm=\"p\", nonce=\"n\", qop=\"auth\"")
    static let basic = HTTPField(name: .proxyAuthenticate, value: "Basic realm=\"p\"")

    private let events = AuthenticationEvents()

    private func refusal(_ challenges: HTTPField...) -> ScriptedResponse {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(challenge) }
        return ScriptedResponse(status: .proxyAuthenticationRequired, headers: fields, body: "no")
    }

    /// Runs a piece of code with a session whose requests all go to the server, as a proxy.
    private func withSession(
        _ authentication: Proxy.Authentication = .challenged,
        policy: AuthenticationPolicy = .anonymous,
        bypass: String = "",
        cache: ResponseCache? = nil,
        interceptors: [any Interceptor] = [],
        _ body: (TestServer, Session) async throws -> Void
    ) async throws {
        try await TestServer.withServer { server in
            var proxy = Proxy(scheme: .http, host: server.host, port: server.port, username: "ada", password: "s3cret")
            proxy.authentication = authentication
            var configuration = Session.Configuration()
            configuration.authentication = policy
            configuration.observers = [self.events]
            configuration.proxy = .fixed(proxy, bypass: try ProxyBypass(bypass))
            configuration.cache = cache
            configuration.networkInterceptors = interceptors
            let transport = try server.makeTransport()
            let session = Session(configuration: configuration, transport: transport)
            let result: Result<Void, any Error>
            do { result = .success(try await body(server, session)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    @Test func `a proxy that wants the body covered gets its digest, also of a body that is read`() async throws {
        let covering = HTTPField(name: .proxyAuthenticate, value: "Digest realm=\"p\", nonce=\"n\", qop=\"auth-int\"")
        try await self.withSession { server, session in
            server.enqueue(self.refusal(covering))
            server.enqueue(ScriptedResponse(status: .ok))
            var request = Request(method: .post, url: try Peer.url("http://origin.test/a"))
            request.body = .stream(length: 4, isReplayable: true) { AuthenticationStageTests.Bytes() }
            #expect(try await session.response(for: request).status == .ok)
            _ = try await server.takeRequest()
            let seen = try await server.takeRequest()
            #expect(seen.bodyText == "aaaa")
            let field = try #require(seen.headers[.proxyAuthorization])
            let clientNonce = try #require(field.split(separator: "cnonce=\"").last).prefix { $0 != "\"" }
            let md5 = DigestAlgorithm.md5
            let second = md5.digest("POST:http://origin.test/a:\(md5.digest("aaaa"))")
            let expected = md5.digest("\(md5.digest("ada:p:s3cret")):n:00000001:\(clientNonce):auth-int:\(second)")
            #expect(field.contains("response=\"\(expected)\""))

            server.enqueue(self.refusal(covering))
            request.body = .stream(length: 4, isReplayable: false) { AuthenticationStageTests.Bytes() }
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .proxyAuthenticationRequired)
        }
    }

    @Test func `a 407 is answered with Digest for the target as the proxy gets it, and the body is sent again`()
        async throws
    {
        try await self.withSession { server, session in
            server.enqueue(self.refusal(Self.basic, Self.digest))
            for _ in 0..<2 { server.enqueue(ScriptedResponse(status: .ok, body: "yes")) }
            var request = Request(
                method: .post,
                url: try Peer.url("http://origin.test/a?b=c"),
                body: .data(Data("body".utf8))
            )
            request.headers[.authorization] = "Bearer for-the-origin"
            for _ in 0..<2 { #expect(try await session.response(for: request).status == .ok) }
            var fields: [String?] = []
            for _ in 0..<3 {
                let seen = try await server.takeRequest()
                #expect(
                    seen.target == "http://origin.test/a?b=c" && seen.headers[.authorization] == "Bearer for-the-origin"
                )
                fields.append(seen.headers[.proxyAuthorization])
            }
            #expect(fields[0] == nil)
            let first = try #require(fields[1])
            #expect(first.contains("uri=\"http://origin.test/a?b=c\"") && first.contains("nc=00000001"))
            #expect(fields[2]?.contains("nc=00000002") == true)
        }
        #expect(
            self.events.calls == [
                ["exchange", "407", "proxy digest", "exchange", "200", "ended"], ["exchange", "200", "ended"],
            ]
        )
        #expect(!self.events.text.contains("s3cret"))
    }

    @Test(.bug(id: "F501")) func `a suspended task answers no challenge of a proxy until it is resumed`() async throws {
        let suspending = SuspendingInterceptor()
        try await self.withSession(interceptors: [suspending]) { server, session in
            server.enqueue(self.refusal(Self.digest))
            server.enqueue(ScriptedResponse(status: .ok, body: "yes"))
            let request = Request(url: try Peer.url("http://origin.test/"))
            let task = session.dataTask(with: request, serializer: .data)
            #expect(try await suspending.run(task) == Data("yes".utf8))
            #expect(suspending.exchanges.elements.count == 2)
        }
    }

    @Test func `the proxy and the origin may both ask, in either order`() async throws {
        let policy = AuthenticationPolicy.basic("eve", "other", for: Origin(scheme: .http, host: "origin.test"))
        let challenge = ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"o\""])
        for isProxyFirst in [true, false] {
            try await self.withSession(policy: policy) { server, session in
                let refusals = [self.refusal(Self.digest), challenge]
                for refusal in isProxyFirst ? refusals : refusals.reversed() { server.enqueue(refusal) }
                server.enqueue(ScriptedResponse(status: .ok))
                let request = Request(url: try Peer.url("http://origin.test/"))
                #expect(try await session.response(for: request).status == .ok)
                var last: RecordedRequest?
                for _ in 0..<3 { last = try await server.takeRequest() }
                #expect(last?.headers[.authorization] == "Basic ZXZlOm90aGVy")
                #expect(last?.headers[.proxyAuthorization]?.hasPrefix("Digest ") == true)
                #expect(last?.headers[fields: .proxyAuthorization].count == 1)
            }
        }
    }

    private static let newNonce = HTTPField(
        name: .proxyAuthenticate,
        value: "Digest realm=\"p\", nonce=\"n2\", qop=\"auth\", stale=true"
    )

    private static let origin = Origin(scheme: .http, host: "origin.test")

    /// RFC 7616 section 3.3: a nonce may be valid once.
    @Test(
        .bug(id: "F409"),
        arguments: [
            ("Basic", AuthenticationPolicy.basic("eve", "other", for: origin)),
            ("Digest", .digest("eve", "other", for: origin)),
        ]
    )
    func `a proxy that replaces its nonce does not take the answer to the server's challenge`(
        _ scheme: String,
        _ policy: AuthenticationPolicy
    ) async throws {
        let challenge = HTTPField(name: .wwwAuthenticate, value: "\(scheme) realm=\"o\", nonce=\"o1\", qop=\"auth\"")
        try await self.withSession(.digest, policy: policy) { server, session in
            server.enqueue(self.refusal(Self.digest))
            server.enqueue(ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: challenge.value]))
            server.enqueue(self.refusal(Self.newNonce))
            server.enqueue(ScriptedResponse(status: .ok))
            let response = try await session.response(for: Request(url: try Peer.url("http://origin.test/")))
            #expect(response.status == .ok)
            var last: RecordedRequest?
            for _ in 0..<4 { last = try await server.takeRequest() }
            #expect(last?.headers[.authorization]?.hasPrefix(scheme) == true)
            #expect(last?.headers[.proxyAuthorization]?.contains("nonce=\"n2\"") == true)
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(.bug(id: "F410"), arguments: [Proxy.Authentication.digest, .challenged, .basicFirst])
    func `the request of a refresh answers the challenge of a proxy`(
        _ authentication: Proxy.Authentication
    ) async throws {
        let authenticator = FakeAuthenticator { _, context in
            let response = try await context.response(for: Request(url: try Peer.url("http://origin.test/token")))
            return AccessToken(String(decoding: response.body, as: UTF8.self))
        }
        let policy = AuthenticationPolicy.tokens(TokenSource(authenticator), for: Self.origin)
        try await self.withSession(authentication, policy: policy) { server, session in
            server.enqueue(self.refusal(Self.digest))
            server.enqueue(ScriptedResponse(body: "fresh"))
            server.enqueue(ScriptedResponse(status: .ok))
            let response = try await session.response(for: Request(url: try Peer.url("http://origin.test/")))
            #expect(response.status == .ok)
            var targets: [String] = []
            var last: RecordedRequest?
            for _ in 0..<3 {
                last = try await server.takeRequest()
                targets.append(last?.target ?? "")
            }
            #expect(targets == ["http://origin.test/token", "http://origin.test/token", "http://origin.test/"])
            #expect(last?.headers[.authorization] == "Bearer fresh")
            #expect(last?.headers[.proxyAuthorization]?.contains("nc=00000002") == true)
        }
    }

    @Test(.bug(id: "F410"))
    func `the request with which the cache refreshes a response answers the challenge of a proxy`()
        async throws
    {
        let now = Mutex<Int64>(1_000_000)
        var cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
        cache.wallClock = WallClock { now.withLock { $0 } }
        try await self.withSession(cache: cache) { server, session in
            server.enqueue(self.refusal(Self.digest))
            let directives = "max-age=10, stale-while-revalidate=100"
            server.enqueue(ScriptedResponse(headers: [.cacheControl: directives, .eTag: "\"a\""], body: "a"))
            server.enqueue(self.refusal(Self.newNonce))
            server.enqueue(ScriptedResponse(status: .notModified, headers: [.eTag: "\"a\""]))
            let request = Request(url: try Peer.url("http://origin.test/"))
            #expect(try await session.response(for: request).status == .ok)
            now.withLock { $0 += 50 }
            #expect(try await session.response(for: request).cacheStatus?.isHit == true)
            var last: RecordedRequest?
            for _ in 0..<4 { last = try await server.takeRequest() }
            #expect(last?.headers[.ifNoneMatch] == "\"a\"")
            #expect(last?.headers[.proxyAuthorization]?.contains("nonce=\"n2\"") == true)
        }
    }

    @Test func `a wrong password is tried once, and the 407 is delivered`() async throws {
        for (authentication, expected) in [(Proxy.Authentication.challenged, 2), (.digest, 2), (.basicFirst, 1)] {
            try await self.withSession(authentication) { server, session in
                for _ in 0..<5 { server.enqueue(self.refusal(Self.digest, Self.basic)) }
                let response = try await session.response(for: Request(url: try Peer.url("http://origin.test/")))
                #expect(response.status == .proxyAuthenticationRequired)
                #expect(server.untakenRequestCount == expected)
            }
        }
    }

    @Test(.bug(id: "F246")) func `a proxy that refuses preemptive Digest and offers Basic gets no password`()
        async throws
    {
        try await self.withSession { server, session in
            server.enqueue(self.refusal(Self.digest))
            server.enqueue(ScriptedResponse(status: .ok))
            for _ in 0..<2 { server.enqueue(self.refusal(Self.basic)) }
            let request = Request(url: try Peer.url("http://origin.test/"))
            #expect(try await session.response(for: request).status == .ok)
            for _ in 0..<2 {
                #expect(try await session.response(for: request).status == .proxyAuthenticationRequired)
            }
            var schemes: [String?] = []
            for _ in 0..<4 {
                let field = try await server.takeRequest().headers[.proxyAuthorization]
                schemes.append(field.map { field in String(field.prefix { $0 != " " }) })
            }
            #expect(schemes == [nil, "Digest", "Digest", nil])
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test func `a body that can be read once makes the challenge an error`() async throws {
        try await self.withSession { server, session in
            server.enqueue(self.refusal(Self.digest))
            var request = Request(url: try Peer.url("http://origin.test/"))
            request.method = .post
            request.body = .stream(length: 4, isReplayable: false) { AuthenticationStageTests.Bytes() }
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .proxyAuthenticationRequired)
            #expect(error?.status == .proxyAuthenticationRequired)
        }
    }

    @Test func `a redirect past the proxy takes none of its credentials along`() async throws {
        try await TestServer.withServer { origin in
            origin.respond(to: "/end") { _ in ScriptedResponse(status: .ok) }
            try await self.withSession(bypass: "127.0.0.1:\(origin.port)") { server, session in
                server.enqueue(self.refusal(Self.digest))
                server.enqueue(ScriptedResponse(status: .found, headers: [.location: "\(origin.url)/end"]))
                let response = try await session.response(for: Request(url: try Peer.url("http://origin.test/")))
                #expect(response.status == .ok)
            }
            let seen = try await origin.takeRequest()
            #expect(!seen.headers.contains { $0.name.canonicalName.hasPrefix("proxy-") })
            #expect(!seen.headers.contains { $0.value.contains("Digest") })
        }
    }
}
