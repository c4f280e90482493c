// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct AuthenticationStageTests {
    static let home = Origin(scheme: .http, host: "h")
    static let basicField = "Basic YWRhOnMzY3JldA=="

    /// Challenges every request that a function does not let in.
    static func guarded(
        _ challenges: String...,
        by isLetIn: @escaping @Sendable (String) -> Bool
    ) -> StubTransport {
        StubTransport { request in
            if let field = request.headers[.authorization], isLetIn(field) { return .plain("in") }
            var response = TransportResponse.plain("out", status: 401)
            for challenge in challenges {
                response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
            }
            return response
        }
    }

    static func session(_ transport: StubTransport, _ policy: AuthenticationPolicy) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        return Session(configuration: configuration, transport: transport)
    }

    static func request(_ url: String = "http://h/a/b?c") throws -> Request { Request(url: try Peer.url(url)) }

    static func fields(_ transport: StubTransport) -> [String?] {
        transport.requests.map { request in request.headers[.authorization].map { String($0.prefix(30)) } }
    }

    // MARK: Basic

    @Test func `Basic answers a challenge, and then the paths beside and below it unasked`() async throws {
        let transport = Self.guarded("Basic realm=\"r\", charset=\"UTF-8\"") { $0 == Self.basicField }
        let session = Self.session(transport, .password("ada", "s3cret", for: Self.home))
        for (url, count) in [
            ("http://h/a/b?c", 2), ("http://h/a/c", 1), ("http://h/a/d/e", 1), ("http://h/x", 2), ("http://h/a/b", 1),
        ] {
            let before = transport.requests.count
            let response = try await session.response(for: Self.request(url))
            #expect(response.status == .ok)
            #expect(transport.requests.count - before == count, "\(url)")
        }
    }

    /// RFC 7617 sections 2 and 2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
    ])
    func `Basic is sent as the examples of RFC 7617 have it`(
        _ user: String,
        _ password: String,
        _ field: String
    ) async throws {
        let transport = Self.guarded("Basic realm=\"foo\", charset=\"UTF-8\"") { $0 == field }
        let session = Self.session(transport, .basic(user, password, for: Self.home))
        #expect(try await session.response(for: Self.request()).status == .ok)
    }

    @Test func `preemptive Basic needs no challenge`() async throws {
        let transport = Self.guarded("Basic realm=\"r\"") { $0 == Self.basicField }
        let session = Self.session(transport, .basic("ada", "s3cret", for: Self.home, isPreemptive: true))
        #expect(try await session.response(for: Self.request()).status == .ok)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [("a:b", "p"), ("a\n", "p"), ("a", "p\u{0}"), ("a\r\nX: y", "p")])
    func `what Basic cannot send is an error`(_ user: String, _ password: String) async throws {
        let transport = Self.guarded("Basic realm=\"r\"") { _ in true }
        let session = Self.session(transport, .basic(user, password, for: Self.home))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: Self.request()) }
        #expect(error?.code == .authenticationFailed)
        #expect(transport.requests.count == 1)
    }

    // MARK: Wrong credentials

    @Test(arguments: [
        ("Basic realm=\"r\"", "Basic"), ("Digest realm=\"r\", nonce=\"n\", qop=auth", "Digest"),
        ("Digest realm=\"r\", nonce=\"n\", qop=auth, Basic realm=\"r\"", "Digest"),
        ("Digest realm=\"r\", nonce=\"n\", qop=auth, Basic realm=\"other\"", "Digest"),
    ])
    func `a wrong password is sent once, with Basic never after Digest, and the 401 is delivered`(
        _ challenge: String,
        _ scheme: String
    ) async throws {
        let transport = Self.guarded(challenge) { _ in false }
        let session = Self.session(transport, .password("ada", "wrong", for: Self.home))
        let response = try await session.response(for: Self.request())
        #expect(response.status == .unauthorized)
        #expect(response.body == Data("out".utf8))
        let sent = transport.requests.compactMap { $0.headers[.authorization] }
        #expect(sent.map { String($0.prefix { $0 != " " }) } == [scheme])
    }

    @Test func `user information, netrc and stores send no password with Basic after Digest`() async throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=auth, Basic realm=\"r\""
        let store = MemoryCredentialStore()
        let space = ProtectionSpace(origin: Self.home, realm: "r")
        store[space] = .password("ada", "wrong")
        let netrc = try Netrc(parsing: Array("machine h login ada password wrong".utf8))
        let sources: [(AuthenticationPolicy, String)] = [
            (.anonymous, "http://ada:wrong@h/"), (.netrc(netrc), "http://h/"), (.stored(in: store), "http://h/"),
        ]
        for (policy, url) in sources {
            let transport = Self.guarded(challenge) { _ in false }
            let response = try await Self.session(transport, policy).response(for: Self.request(url))
            #expect(response.status == .unauthorized)
            let sent = transport.requests.compactMap { $0.headers[.authorization] }
            #expect(sent.last?.hasPrefix("Digest") == true, "\(url)")
        }
    }

    @Test func `a password that is wrong from now on is not sent unasked again`() async throws {
        let isOpen = Recorder<Bool>()
        let transport = Self.guarded("Basic realm=\"r\"") { _ in isOpen.elements.isEmpty }
        let session = Self.session(transport, .password("ada", "s3cret", for: Self.home))
        #expect(try await session.response(for: Self.request()).status == .ok)
        isOpen.record(false)
        #expect(try await session.response(for: Self.request()).status == .unauthorized)
        #expect(transport.requests.count == 3)
        #expect(try await session.response(for: Self.request()).status == .unauthorized)
        #expect(transport.requests[3].headers[.authorization] == nil)
    }

    @Test func `a server that calls every nonce stale is answered a few times only`() async throws {
        let transport = StubTransport { _ in
            let nonce = UInt64.random(in: 0 ... .max)
            let field = "Digest realm=\"r\", nonce=\"\(nonce)\", qop=auth, stale=true"
            return .plain("", status: 401, headers: [.wwwAuthenticate: field])
        }
        let session = Self.session(transport, .digest("ada", "s3cret", for: Self.home))
        #expect(try await session.response(for: Self.request()).status == .unauthorized)
        #expect(transport.requests.count == 6)
    }

    // MARK: Bodies

    @Test func `a body is sent again if it can be, and is an error if not`() async throws {
        let transport = Self.guarded("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"") { _ in true }
        let session = Self.session(transport, .digest("ada", "s3cret", for: Self.home))
        var request = try Self.request()
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { Bytes() }
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.reason.contains("read only once") == true)
        #expect(error?.status == .unauthorized)
        #expect(transport.requests.count == 1)

        request.body = .stream(length: 4, isReplayable: true) { Bytes() }
        #expect(try await session.response(for: request).status == .ok)
        let sent = try #require(transport.requests.last)
        let md5 = DigestAlgorithm.md5
        let field = try #require(sent.headers[.authorization])
        let clientNonce = field.split(separator: "cnonce=\"")[1].prefix { $0 != "\"" }
        let second = md5.digest("POST:/a/b?c:\(md5.digest("aaaa"))")
        let expected = md5.digest("\(md5.digest("ada:r:s3cret")):n:00000001:\(clientNonce):auth-int:\(second)")
        #expect(field.contains("response=\"\(expected)\"") || field.contains("nc=00000002"))
        #expect(sent.headers[.acceptEncoding] == "identity")
    }

    struct Bytes: BodyReader {
        var left = 4

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            defer { self.left = 0 }
            for index in 0..<self.left { buffer[index] = 0x61 }
            return self.left
        }
    }

    // MARK: Secrets

    @Test func `credentials are compared by their bytes`() {
        let accents = ("caf\u{E9}", "cafe\u{301}")
        #expect(Credential.password("ada", accents.0) != .password("ada", accents.1))
        #expect(Credential.password(accents.0, "p") != .password(accents.1, "p"))
        #expect(Credential.bearer(accents.0) != .bearer(accents.1))
        #expect(Set([Credential.password("a", "b"), .password("a", "b"), .bearer("a")]).count == 2)
        let proxies = [accents.0, accents.1, accents.1].map {
            Proxy(scheme: .http, host: "p", username: $0, password: $0)
        }
        #expect(Set(proxies).count == 2)
    }

    @Test func `nothing that is printed holds a secret`() throws {
        let netrc = try Netrc(parsing: Array("machine h login ada password s3cret".utf8))
        let policy: AuthenticationPolicy = [.password("ada", "s3cret"), .bearer("s3cret"), .netrc(netrc)]
        var text = ""
        dump(policy, to: &text)
        dump(Credential.password("ada", "s3cret"), to: &text)
        dump(AccessToken("s3cret", refreshToken: "s3cret"), to: &text)
        dump(netrc, to: &text)
        let client = OAuth2.Client(id: "app", secret: "s3cret")
        let oauth = OAuth2.clientCredentials(endpoint: try Peer.url("https://ada:s3cret@login/"), client: client)
        dump(client, to: &text)
        dump(oauth, to: &text)
        dump(TokenSource(oauth, token: AccessToken("s3cret")), to: &text)
        text += "\(client) \(oauth)"
        text += "\(policy) \(Credential.bearer("s3cret")) \(AccessToken("s3cret")) \(netrc)"
        #expect(!text.contains("s3cret"))
    }
}
