// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// The cookies of a session: sent and kept on every exchange.
@Suite(.timeLimit(.minutes(1))) struct CookieStageTests {
    private func session(
        _ transport: any Transport,
        _ jar: CookieJar?,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.cookies = jar
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    private func request(_ url: String = "http://h.example/") throws -> Request { Request(url: try Peer.url(url)) }

    /// Sets a cookie on every response.
    private static func setting(_ fields: String...) -> StubTransport {
        StubTransport { _ in
            var headers = HTTPFields()
            for field in fields { headers.append(HTTPField(name: .setCookie, value: field)) }
            return TransportResponse(status: .ok, headers: headers)
        }
    }

    @Test func `a session without a jar neither sends nor keeps cookies`() async throws {
        let transport = Self.setting("x=1")
        let session = self.session(transport, nil)
        #expect(Session.Configuration().cookies == nil)
        for _ in 0..<2 { _ = try await session.response(for: self.request()) }
        #expect(transport.requests.allSatisfy { !$0.headers.contains(.cookie) })
    }

    @Test func `a session with a jar sends in one field what it was given`() async throws {
        let transport = Self.setting("x=1", "y=2; Path=/", "z=3; Domain=com", "x=4")
        let session = self.session(transport, CookieJar())
        for _ in 0..<2 { _ = try await session.response(for: self.request()) }
        #expect(transport.requests.map { $0.headers[fields: .cookie].map(\.value) } == [[], ["x=4; y=2"]])
    }

    @Test(arguments: [200, 204, 304, 401, 404, 500, 503])
    func `cookies of every status are kept`(_ status: Int) async throws {
        let jar = CookieJar()
        let transport = StubTransport { _ in
            TransportResponse(status: .init(code: status), headers: [.setCookie: "x=1"])
        }
        _ = try await self.session(transport, jar).response(for: self.request())
        #expect(jar.cookies.map(\.name) == ["x"])
    }

    @Test func `a request can go without cookies`() async throws {
        let jar = CookieJar()
        try jar.take("x=1", "http://h.example/")
        let transport = Self.setting("y=1")
        var request = try self.request()
        request.options.handlesCookies = false
        _ = try await self.session(transport, jar).response(for: request)
        #expect(transport.requests.last?.headers.contains(.cookie) == false)
        #expect(jar.cookies.map(\.name) == ["x"])
        request.options.handlesCookies = true
        _ = try await self.session(transport, jar).response(for: request)
        #expect(transport.requests.last?.headers[.cookie] == "x=1")
    }

    @Test func `a request that wants cookies needs a jar`() async throws {
        let transport = StubTransport()
        var request = try self.request()
        request.options.handlesCookies = true
        do {
            _ = try await self.session(transport, nil).response(for: request)
            Issue.record("the request was sent")
        } catch let error as SessionError {
            #expect(error.code == .unsupportedOption)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `a Cookie field of the request stands, and cookies are kept all the same`() async throws {
        let jar = CookieJar()
        try jar.take("x=1", "http://h.example/")
        let transport = Self.setting("y=1")
        var request = try self.request()
        request.headers[.cookie] = "mine=1"
        _ = try await self.session(transport, jar).response(for: request)
        #expect(transport.requests.last?.headers[fields: .cookie].map(\.value) == ["mine=1"])
        #expect(jar.cookies.map(\.name) == ["x", "y"])
    }

    @Test func `the cookies of the jar stand before a Cookie field of the session`() async throws {
        let jar = CookieJar()
        let transport = Self.setting("y=1")
        let session = self.session(transport, jar) { $0.headers[.cookie] = "default=1" }
        for _ in 0..<2 { _ = try await session.response(for: self.request()) }
        #expect(transport.requests.map { $0.headers[.cookie] } == ["default=1", "y=1"])
    }

    // MARK: Hops

    @Test func `every hop of a redirect sets cookies and sends those of its own URL`() async throws {
        let jar = CookieJar()
        try jar.take("b=0", "http://b.example/")
        let transport = StubTransport { request in
            let locations = ["/1": "/2", "/2": "http://b.example/3", "/3": "http://a.example/4"]
            guard let location = locations[request.target] else { return .plain("end") }
            let name = request.target.dropFirst()
            return TransportResponse(
                status: .found,
                headers: [.location: location, .setCookie: "c\(name)=\(request.origin.host); Path=/"]
            )
        }
        _ = try await self.session(transport, jar).response(for: self.request("http://a.example/1"))
        #expect(
            transport.requests.map { $0.headers[.cookie] }
                == [nil, "c1=a.example", "b=0", "c1=a.example; c2=a.example"]
        )
        #expect(jar.cookies(for: try Peer.url("http://b.example/")).map(\.name) == ["b", "c3"])
    }

    @Test func `no cookie follows a redirect to another site`() async throws {
        let jar = CookieJar()
        try jar.take("secret=1; Domain=bank.example", "http://www.bank.example/")
        let transport = StubTransport { request in
            guard request.origin.host == "www.bank.example" else { return .plain("end") }
            return TransportResponse(status: .found, headers: [.location: "http://bank.example.evil.test/"])
        }
        var request = try self.request("http://www.bank.example/")
        _ = try await self.session(transport, jar).response(for: request)
        request.headers[.cookie] = "mine=1"
        _ = try await self.session(transport, jar).response(for: request)
        #expect(transport.requests.map { $0.headers[.cookie] } == ["secret=1", nil, "mine=1", nil])
    }

    private struct Rerouting: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            request.url = try Peer.url("http://other.example/x/y")
            return try await next(request)
        }
    }

    @Test func `cookies belong to the URL that the request was sent to`() async throws {
        let jar = CookieJar()
        let session = self.session(Self.setting("x=1"), jar) { $0.networkInterceptors = [Rerouting()] }
        _ = try await session.response(for: self.request())
        #expect(jar.cookies.map { "\($0)" } == ["x for other.example/x"])
    }

    // MARK: SameSite

    struct SiteCase: Sendable, CustomTestStringConvertible {
        var initiator: String?
        var isNavigation = false
        var method = HTTPRequest.Method.get
        var sent: Set<String>

        var testDescription: String {
            "\(self.method) by \(self.initiator ?? "the program")\(self.isNavigation ? ", navigation" : "")"
        }
    }

    private static let all: Set = ["strict", "lax", "unspecified", "none"]

    static let siteCases: [SiteCase] = [
        SiteCase(initiator: nil, sent: all), SiteCase(initiator: nil, method: .post, sent: all),
        SiteCase(initiator: "https://www.shop.example/", sent: all),
        SiteCase(initiator: "https://shop.example:8443/a", method: .post, sent: all),
        SiteCase(initiator: "https://SHOP.example/", sent: all),
        SiteCase(initiator: "http://www.shop.example/", sent: ["none"]),
        SiteCase(initiator: "https://other.example/", sent: ["none"]),
        SiteCase(initiator: "https://example/", sent: ["none"]),
        SiteCase(initiator: "about:blank", sent: ["none"]),
        SiteCase(initiator: "https://other.example/", isNavigation: true, sent: ["lax", "unspecified", "none"]),
        SiteCase(
            initiator: "https://other.example/",
            isNavigation: true,
            method: .head,
            sent: ["lax", "unspecified", "none"]
        ),
        SiteCase(initiator: "https://other.example/", isNavigation: true, method: .post, sent: ["none"]),
        SiteCase(initiator: "https://other.example/", method: .head, sent: ["none"]),
        SiteCase(initiator: "https://www.shop.example/", isNavigation: true, method: .post, sent: all),
    ]

    @Test(arguments: Self.siteCases)
    func `the site that makes a request decides on the cookies that go along`(_ one: SiteCase) async throws {
        let jar = CookieJar()
        for (name, attribute) in [("strict", "Strict"), ("lax", "Lax"), ("unspecified", "x"), ("none", "None; Secure")]
        {
            try jar.take("\(name)=1; SameSite=\(attribute)", "https://api.shop.example/")
        }
        let transport = StubTransport()
        var request = try self.request("https://api.shop.example/")
        request.method = one.method
        if let url = try one.initiator.map(Peer.url) {
            request.cookieInitiator = one.isNavigation ? .navigation(from: url) : .subresource(of: url)
        }
        _ = try await self.session(transport, jar).response(for: request)
        let field = transport.requests.last?.headers[.cookie] ?? ""
        let names = field.split(separator: ";").compactMap { $0.split(separator: "=").first }
        #expect(Set(names.map { String($0.drop { $0 == " " }) }) == one.sent)
    }

    @Test(arguments: [
        ("x=1", false, false), ("x=1; SameSite=Strict", false, false), ("x=1; SameSite=Lax", false, false),
        ("x=1; SameSite=None; Secure", false, true), ("x=1", true, true), ("x=1; SameSite=Strict", true, true),
    ])
    func `what another site fetches may set cookies for all sites only`(
        _ field: String,
        _ isNavigation: Bool,
        _ isKept: Bool
    ) async throws {
        let jar = CookieJar()
        var request = try self.request("https://h.example/")
        let url = try Peer.url("https://other.example/")
        request.cookieInitiator = isNavigation ? .navigation(from: url) : .subresource(of: url)
        _ = try await self.session(Self.setting(field), jar).response(for: request)
        #expect(jar.cookies.isEmpty != isKept)
    }

    // MARK: The wire

    @Test(arguments: [false, true]) func `the bytes of a value are kept on the wire`(_ overTLS: Bool) async throws {
        let fields = ["a=\"q\"", "b=日本語", "c=x y", "d=e\u{301}", "e", "f="]
        let seen = Recorder<String>()
        try await TestServer.withServer(tls: overTLS ? TestServer.TLS() : nil) { server in
            server.respond(to: "/set") { _ in
                var headers = HTTPFields()
                for field in fields { headers.append(HTTPField(name: .setCookie, value: field + "; Path=/")) }
                return ScriptedResponse(headers: headers)
            }
            server.respond(to: "/get") { request in
                for field in request.headers[fields: .cookie] { seen.record(field.value) }
                return ScriptedResponse()
            }
            let session = self.session(try server.makeTransport(), CookieJar())
            for path in ["/set", "/get"] {
                _ = try await session.response(for: self.request("\(server.url)\(path)"))
            }
            await session.transport.shutdown()
        }
        // HTTP/2 may carry a cookie in several fields (RFC 9113 section 8.2.3).
        #expect(Array(seen.elements.joined(separator: "; ").utf8) == Array(fields.joined(separator: "; ").utf8))
    }

    @Test(.bug(id: "F686"), arguments: [false, true])
    func `the description of an initiator has no secrets`(_ isNavigation: Bool) throws {
        let url = try Peer.url("https://ada:secret@a.example:8443/p?token=secret#f")
        let initiator: CookieInitiator = isNavigation ? .navigation(from: url) : .subresource(of: url)
        let text = "\(isNavigation ? "a navigation from" : "a part of a page of") https://a.example:8443"
        var dumped = ""
        dump(initiator, to: &dumped)
        #expect("\(initiator)" == text)
        #expect(String(reflecting: initiator) == text)
        #expect(!dumped.contains("secret"))
    }

    @Test func `many requests at once share a jar`() async throws {
        let jar = CookieJar()
        let transport = StubTransport { request in
            TransportResponse(status: .ok, headers: [.setCookie: "n\(request.target.dropFirst())=1; Path=/"])
        }
        let session = self.session(transport, jar)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    _ = try await session.response(for: self.request("http://h\(number % 8).example/\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(jar.cookies.map(\.name)).count == 200)
        #expect(transport.requests.allSatisfy { $0.headers[fields: .cookie].count <= 1 })
    }
}
