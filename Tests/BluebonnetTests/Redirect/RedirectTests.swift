// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    /// Answers the path `/` with a redirect and everything else with 200.
    private static func redirecting(_ status: Int, to location: String) -> StubTransport {
        StubTransport { request in
            guard request.target.utf8.starts(with: "/start".utf8) else { return .plain("end") }
            return TransportResponse(status: .init(code: status), headers: [.location: location])
        }
    }

    private func session(_ transport: StubTransport, _ policy: RedirectPolicy = .follow()) -> Session {
        var configuration = Session.Configuration()
        configuration.redirects = policy
        return Session(configuration: configuration, transport: transport)
    }

    private func request(_ url: String = "http://h/start") throws -> Request { Request(url: try Peer.url(url)) }

    // MARK: Methods and bodies

    struct MethodCase: Sendable, CustomTestStringConvertible {
        var status: Int
        var method: HTTPRequest.Method
        var following: HTTPRequest.Method
        var keepsPost = false

        var testDescription: String { "\(self.status) \(self.method) -> \(self.following)" }
    }

    static let methods: [MethodCase] = [301, 302, 303, 307, 308].flatMap { status -> [MethodCase] in
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        let cases = methods.map { method -> MethodCase in
            let following: HTTPRequest.Method =
                switch (status, method) {
                case (301, .post), (302, .post): .get
                case (303, .head): .head
                case (303, _): .get
                default: method
                }
            return MethodCase(status: status, method: method, following: following)
        }
        let kept = MethodCase(status: status, method: .post, following: status == 303 ? .get : .post, keepsPost: true)
        return cases + [kept]
    }

    @Test(arguments: Self.methods)
    func `the status decides on the method, and the body and its fields go with it`(_ one: MethodCase) async throws {
        let transport = Self.redirecting(one.status, to: "/end")
        var policy = RedirectPolicy.follow()
        policy.keepsPost = one.keepsPost
        var request = try self.request()
        request.method = one.method
        let hasBody = [.post, .put, .patch].contains(one.method)
        if hasBody { request.body = .data(Data("body".utf8)) }
        request.headers = [.contentType: "text/plain", .contentLanguage: "de", .userAgent: "ua"]
        let response = try await self.session(transport, policy).response(for: request)
        let following = try #require(transport.requests.last)
        #expect(transport.requests.count == 2)
        #expect(following.method == one.following)
        #expect(following.target == "/end")
        #expect(following.headers[.userAgent] == "ua")
        let isKept = one.method == one.following
        #expect((following.headers[.contentType] != nil) == isKept)
        #expect((following.headers[.contentLanguage] != nil) == isKept)
        if case .bytes(let bytes) = following.body {
            #expect(isKept && hasBody && String(buffer: bytes) == "body")
        } else {
            #expect(!isKept || !hasBody)
        }
        #expect(response.url?.absoluteString == "http://h/end")
        #expect(response.history.map(\.status.code) == [one.status])
    }

    @Test(arguments: [307, 308]) func `a body that can be read once is not sent again`(_ status: Int) async throws {
        let transport = Self.redirecting(status, to: "/end")
        var request = try self.request()
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { try RequestBody.data(Data("body".utf8)).makeReader() }
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport).response(for: request)
        }
        #expect(error?.code == .redirectRefused)
        #expect(error?.status?.code == status)
        #expect(transport.requests.count == 1)
    }

    // MARK: Location

    @Test(arguments: [
        ("/end", "http://h/end"), ("end", "http://h/a/end"), ("../end", "http://h/end"),
        ("?q=2", "http://h/a/start?q=2"),
        ("//other/end", "http://other/end"), ("https://other/end", "https://other/end"),
        ("#f", "http://h/a/start?q=1#f"),
        ("/end#own", "http://h/end#own"), ("/a b", "http://h/a%20b"), ("/ä", "http://h/%C3%A4"),
        ("http://user:secret@h/end", "http://h/end"), ("http://user:secret@other/end", "http://other/end"),
        ("http://h:80/end", "http://h:80/end"), ("/%2e%2e/end", "http://h/%2e%2e/end"),
    ])
    func `a Location is resolved against the URL of the request`(_ location: String, _ expected: String) throws {
        let target = RedirectTarget(location, from: try Peer.url("http://h/a/start?q=1"))
        #expect(target?.url.absoluteString == expected)
    }

    @Test func `the fragment and the user information of the request stay within the origin`() throws {
        let current = try Peer.url("http://user:secret@h/start#part")
        #expect(RedirectTarget("/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part")
        #expect(RedirectTarget("http://h/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part")
        #expect(RedirectTarget("http://evil/end", from: current)?.url.absoluteString == "http://evil/end#part")
        #expect(
            RedirectTarget("http://u:p@h/end", from: current)?.url.absoluteString == "http://user:secret@h/end#part"
        )
    }

    @Test(arguments: [
        "", "ftp://h/end", "javascript:alert(1)", "http://", "http:///end", "http://h:99999/end", "mailto:a@b",
        "http://[::1",
        "data:text/plain,x",
    ])
    func `a Location that cannot be used delivers the response`(_ location: String) async throws {
        let transport = Self.redirecting(302, to: location)
        let response = try await self.session(transport).response(for: self.request())
        #expect(response.status == .found)
        #expect(transport.requests.count == 1)
    }

    @Test func `a redirect without a Location, or with two, is delivered`() async throws {
        var two: HTTPFields = [.location: "/a"]
        two.append(HTTPField(name: .location, value: "/b"))
        for headers in [HTTPFields(), two] {
            let transport = StubTransport { _ in TransportResponse(status: .found, headers: headers) }
            #expect(try await self.session(transport).response(for: self.request()).status == .found)
        }
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 401]) func `other statuses are no redirects`(
        _ status: Int
    ) async throws {
        let transport = Self.redirecting(status, to: "/end")
        #expect(try await self.session(transport).response(for: self.request()).status.code == status)
        #expect(transport.requests.count == 1)
    }

    // MARK: Origins

    struct OriginCase: Sendable, CustomTestStringConvertible {
        var location: String
        var isSame: Bool
        var testDescription: String { self.location }
    }

    static let origins = [
        OriginCase(location: "/end", isSame: true), OriginCase(location: "https://h/end", isSame: true),
        OriginCase(location: "https://H:443/end", isSame: true),
        OriginCase(location: "https://h:444/end", isSame: false),
        OriginCase(location: "https://evil/end", isSame: false), OriginCase(location: "//evil/end", isSame: false),
        OriginCase(location: "https://h.evil/end", isSame: false), OriginCase(location: "http://h/end", isSame: false),
        OriginCase(location: "https://h@evil/end", isSame: false),
    ]

    static let secrets = [
        "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "Referer", "Origin",
        "X-Amz-Security-Token",
    ]

    @Test(arguments: Self.origins, [301, 302, 303, 307, 308])
    func `no secret crosses an origin, wherever it was set`(_ one: OriginCase, _ status: Int) async throws {
        let transport = Self.redirecting(status, to: one.location)
        var configuration = Session.Configuration()
        configuration.redirects.allowsDowngrade = true
        configuration.headers[try #require(HTTPField.Name("X-Session-Key"))] = "session"
        let session = Session(configuration: configuration, transport: transport)
        var request = try self.request("https://user:password@h/start")
        request.headers = [.accept: "text/html", .acceptLanguage: "de", .userAgent: "ua"]
        for name in Self.secrets where name != "Authorization" {
            request.headers[try #require(HTTPField.Name(name))] = "secret"
        }
        _ = try await session.response(for: request)
        try #require(transport.requests.count == 2)
        let sent = transport.requests[1].headers
        for name in Self.secrets + ["X-Session-Key"] {
            #expect((sent[try #require(HTTPField.Name(name))] != nil) == one.isSame, "\(name)")
        }
        #expect(sent[.accept] == "text/html" && sent[.acceptLanguage] == "de" && sent[.userAgent] == "ua")
    }

    @Test func `a redirect from https to http is refused unless it is allowed`() async throws {
        let transport = Self.redirecting(302, to: "http://h/end")
        let request = try self.request("https://h/start")
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport).response(for: request)
        }
        #expect(error?.code == .redirectRefused)
        var policy = RedirectPolicy.follow()
        policy.allowsDowngrade = true
        #expect(try await self.session(transport, policy).response(for: request).status == .ok)
    }

    // MARK: Policies

    @Test func `a chain that does not end has a limit, and its history is told`() async throws {
        let transport = StubTransport { request in
            TransportResponse(status: .found, headers: [.location: request.target + "x"])
        }
        let error = await #expect(throws: SessionError.self) {
            try await self.session(transport, .follow(maximum: 3)).response(for: self.request())
        }
        #expect(error?.code == .tooManyRedirects)
        #expect(transport.requests.map(\.target) == ["/start", "/startx", "/startxx", "/startxxx"])
        #expect(error?.response?.history.map { $0.url?.path() } == ["/start", "/startx", "/startxx"])
    }

    @Test func `policies follow nothing, the own origin, or what a function says`() async throws {
        let away = Self.redirecting(302, to: "http://other/end")
        #expect(try await self.session(away, .none).response(for: self.request()).status == .found)
        #expect(try await self.session(away, .sameOrigin).response(for: self.request()).status == .found)
        let home = Self.redirecting(302, to: "/end")
        #expect(try await self.session(home, .sameOrigin).response(for: self.request()).status == .ok)
        let changing = RedirectPolicy { redirect in
            #expect(redirect.count == 0 && !redirect.isCrossOrigin && redirect.response.status == .found)
            var request = redirect.proposedRequest
            request.headers[.via] = "policy"
            return request
        }
        _ = try await self.session(home, changing).response(for: self.request())
        #expect(home.requests.last?.headers[.via] == "policy")
    }

    @Test(arguments: [10, 64 * 1024, 64 * 1024 + 1])
    func `the body of a redirect is read within its bound, or given up`(_ byteCount: Int) async throws {
        let body = ScriptedBody([.bytes(byteCount)])
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain("end") }
            return TransportResponse(
                status: .found,
                headers: [.location: "/end"],
                body: ResponseBody(source: body, expectedLength: nil)
            )
        }
        #expect(try await self.session(transport).response(for: self.request()).body == Data("end".utf8))
        // One more read finds the end; beyond the bound nobody looks for it.
        #expect(body.readCount == (byteCount > 64 * 1024 ? 1 : 2))
    }
}
