// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import Testing

@Suite struct HTTPSessionURLTests {
    private func api(_ base: String?) throws -> HTTPSession {
        HTTPSession(baseURL: try base.map { try #require(URL(string: $0)) }, transport: StubTransport())
    }

    @Test(arguments: [
        ("http://h", "http://h"),
        ("http://h/", "http://h/"),
        ("http://h/v1", "http://h/v1/"),
        ("http://h/v1/", "http://h/v1/"),
        ("http://h/v1?x=1", "http://h/v1/?x=1"),
        ("http://h/v1/?x=1", "http://h/v1/?x=1"),
        ("http://h/v1?x=/", "http://h/v1/?x=/"),
        ("http://h/v1#f", "http://h/v1/#f"),
        ("http://h?x=/a", "http://h?x=/a"),
        ("http://h#/a", "http://h#/a"),
        ("http://user:pass@h:8/a/b", "http://user:pass@h:8/a/b/"),
    ])
    func `ends the path of the base URL with a slash`(_ given: String, _ kept: String) throws {
        #expect(try self.api(given).baseURL?.absoluteString == kept)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var base: String?
        var path: String
        var url: String
        var testDescription: String { "\(self.base ?? "no base") + \(self.path)" }
    }

    @Test(arguments: [
        Case(base: "http://example.com/v1/", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1/", path: "/foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1/", path: "foo/", url: "http://example.com/v1/foo/"),
        Case(base: "http://example.com/v1/", path: "?a=b", url: "http://example.com/v1/?a=b"),
        Case(base: "http://example.com/v1/", path: "", url: "http://example.com/v1/"),
        Case(base: "http://example.com", path: "", url: "http://example.com"),
        Case(base: "http://example.com", path: "foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1?x=1", path: "foo", url: "http://example.com/v1/foo"),
        Case(base: "http://example.com/v1/", path: "../foo", url: "http://example.com/foo"),
        Case(base: "http://example.com/v1/", path: "./a:b", url: "http://example.com/v1/a:b"),
        Case(base: "http://example.com/v1/", path: "//example.com/x", url: "http://example.com/x"),
        Case(base: "http://example.com/v1/", path: "http://EXAMPLE.com:80/x", url: "http://EXAMPLE.com:80/x"),
        Case(base: "http://example.com/v1/", path: "http://u@example.com/x", url: "http://u@example.com/x"),
        Case(base: "http://example.com/v1/", path: ".//other.example/x", url: "http://example.com/v1//other.example/x"),
        Case(
            base: "http://example.com/v1/",
            path: "\\\\other.example/x",
            url: "http://example.com/v1/%5C%5Cother.example/x"
        ),
        Case(
            base: "http://example.com/v1/",
            path: " //other.example/",
            url: "http://example.com/v1/%20//other.example/"
        ),
        Case(base: "http://example.com/v1/", path: "a b", url: "http://example.com/v1/a%20b"),
        Case(base: "http://example.com/v1/", path: "%zz", url: "http://example.com/v1/%25zz"),
        Case(base: "http://example.com/v1/", path: "s?f[n]=a%20b", url: "http://example.com/v1/s?f%5Bn%5D=a%20b"),
        Case(base: "http://example.com/v1/", path: "/[1]%20|", url: "http://example.com/%5B1%5D%20%7C"),
        Case(base: "http://example.com", path: "a?100%&b=%26", url: "http://example.com/a?100%25&b=%26"),
        Case(base: "http://[::1]/", path: "//[::1]/[%20]", url: "http://[::1]/%5B%20%5D"),
        Case(base: nil, path: "http://example.com/x", url: "http://example.com/x"),
    ])
    func `resolves a path`(_ example: Case) throws {
        #expect(try self.api(example.base).url(for: example.path).absoluteString == example.url)
    }

    @Test(
        .bug(id: "F768"),
        arguments: [
            ("http://h/graphql", "/graphql"), ("http://h/v1/", "/v1/"), ("http://h", "/"),
            ("http://h/v1?x=1", "/v1?x=1"),
        ]
    )
    func `an empty path is the base URL as it was given`(_ base: String, _ target: String) async throws {
        let transport = StubTransport()
        let api = HTTPSession(baseURL: try Peer.url(base), transport: transport)
        #expect(try api.url(for: "").absoluteString == base)
        try await api.post("", parameters: ["a": 1])
        #expect(transport.requests.last?.target == target)
    }

    @Test(arguments: [nil, "http://example.com/"], ["a\nb", "a\rb", "a\u{0}b", "a\tb", "\u{7f}", "http://[::1"])
    func `refuses a path that is none`(_ base: String?, _ path: String) throws {
        let api = try self.api(base)
        let error = #expect(throws: SessionError.self) { try api.url(for: path) }
        #expect(error?.code == .invalidURL)
    }

    /// F6: a path that text from outside decides must not take the credentials of a service to another one.
    @Test(arguments: [
        "//other.example/x", "https://other.example/x", "https://example.com/x", "http://example.com:81/x",
        "http://example.com.other.example/", "http://example.com@other.example/", "HTTP://other.example",
        "///other.example/x",
        "ftp://example.com/x", "file:///etc/passwd", "//example.com:80@other.example/", "http:other.example",
        "javascript:x",
    ])
    func `refuses a path that leads to another origin`(_ path: String) async throws {
        let transport = StubTransport()
        let api = try HTTPSession("http://example.com/v1", transport: transport)
        let error = #expect(throws: SessionError.self) { try api.url(for: path) }
        #expect(error?.code == .invalidURL)
        await #expect(throws: SessionError.self) { try await api.get(path) }
        #expect(transport.requests.isEmpty)
    }

    @Test(.bug(id: "F567"), arguments: ["images:annotate", "a:b"])
    func `a path with a colon in its first segment is refused, with the way to write it`(_ path: String) throws {
        let api = try HTTPSession("http://example.com/v1")
        let error = #expect(throws: SessionError.self) { try api.url(for: path) }
        #expect(error?.reason.contains("begins with “./”") == true)
        #expect(try api.url(for: "./\(path)").absoluteString == "http://example.com/v1/\(path)")
    }

    struct Parts: Sendable, CustomTestStringConvertible {
        var parts: [String]
        var url: String
        var testDescription: String { "\(self.parts)" }
    }

    @Test(arguments: [
        Parts(parts: [], url: "http://h/v1/"), Parts(parts: ["users"], url: "http://h/v1/users"),
        Parts(parts: ["users", "../x"], url: "http://h/v1/users/..%2Fx"),
        Parts(parts: ["users", "a?b"], url: "http://h/v1/users/a%3Fb"), Parts(parts: ["a#b"], url: "http://h/v1/a%23b"),
        Parts(parts: ["//evil", "x"], url: "http://h/v1/%2F%2Fevil/x"), Parts(parts: ["a:b"], url: "http://h/v1/a%3Ab"),
        Parts(parts: ["%2e%2e"], url: "http://h/v1/%252e%252e"), Parts(parts: ["..."], url: "http://h/v1/..."),
        Parts(parts: ["é/\u{301}"], url: "http://h/v1/%C3%A9%2F%CC%81"),
        Parts(parts: ["\r\n"], url: "http://h/v1/%0D%0A"),
        Parts(parts: ["a\\b c"], url: "http://h/v1/a%5Cb%20c"),
        Parts(parts: ["https://evil/"], url: "http://h/v1/https%3A%2F%2Fevil%2F"),
    ])
    func `keeps every part one segment, up to the wire`(_ example: Parts) async throws {
        let transport = StubTransport()
        for base in ["http://h/v1", "http://h/v1/"] {
            let api = try HTTPSession(base, transport: transport)
            #expect(try api.url(for: example.parts).absoluteString == example.url)
            _ = try await api.get(example.parts)
            #expect(transport.requests.last.map { "\($0.origin)\($0.target)" } == example.url)
        }
        let bare = HTTPSession(baseURL: URL(string: "http://h?x=1"), transport: transport)
        #expect(try bare.url(for: example.parts).absoluteString == example.url.replacing("/v1", with: ""))
    }

    @Test(arguments: [["."], [".."], ["users", "..", "x"]])
    func `refuses a part that every parser would remove`(_ parts: [String]) throws {
        let error = #expect(throws: SessionError.self) { try self.api("http://h/v1").url(for: parts) }
        #expect(error?.code == .invalidURL)
    }

    @Test(.bug(id: "F649"), arguments: [[""], ["users", ""], ["", "x"], ["users", "", "x"]])
    func `refuses an empty part, which would address another resource`(_ parts: [String]) async throws {
        let transport = StubTransport()
        let api = try HTTPSession("http://h/v1", transport: transport)
        let error = await #expect(throws: SessionError.self) { try await api.delete(parts) }
        #expect(error?.code == .invalidURL)
        #expect(error?.reason.hasPrefix("a part of the path is empty") == true)
        #expect(transport.requests.isEmpty)
    }

    private static let noScheme =
        "the URL's scheme is neither http nor https; write a host and a port with http:// or https://"

    @Test(
        .bug(id: "F651"),
        arguments: [
            ("localhost:8080", Self.noScheme),
            ("api.example:443/v1", Self.noScheme),
            ("ftp://h", "the URL's scheme is neither http nor https"),
            ("https://example.com ", "the text of the base URL holds white space or a control character"),
            ("\nhttps://example.com", "the text of the base URL holds white space or a control character"),
        ]
    )
    func `a base URL that is nearly one is refused with the fault in it`(_ text: String, _ reason: String) {
        let error = #expect(throws: SessionError.self) { try HTTPSession(text, transport: StubTransport()) }
        #expect(error?.reason == reason)
    }

    @Test func `is made from a URL`() throws {
        let url = try Peer.url("http://h/v1")
        #expect(HTTPSession(url, transport: StubTransport()).baseURL?.absoluteString == "http://h/v1/")
    }

    @Test func `refuses parts without a base`() throws {
        #expect(throws: SessionError.self) { try self.api(nil).url(for: ["users"]) }
    }

    @Test func `takes a URL as it is`() throws {
        let api = try self.api("http://h/v1")
        #expect(
            try api.url(for: Peer.url("https://other.example/x?a#b")).absoluteString == "https://other.example/x?a#b"
        )
        #expect(try api.url(for: Peer.url("users")).absoluteString == "http://h/v1/users")
        let relative = try #require(URL(string: "b", relativeTo: Peer.url("http://g/a/")))
        #expect(try api.url(for: relative).absoluteString == "http://g/a/b")
    }

    @Test(arguments: [
        ("http://h", "http://h"), ("https://h/v1", "https://h/v1/"),
        ("HTTP://user:pass@h:8/a/", "HTTP://user:pass@h:8/a/"),
        ("http://[::1]:8/a", "http://[::1]:8/a/"), ("http://ä.example", "http://xn--4ca.example"),
    ])
    func `is made from the text of a base URL`(_ text: String, _ kept: String) throws {
        #expect(try HTTPSession(text, transport: StubTransport()).baseURL?.absoluteString == kept)
    }

    @Test(arguments: [
        "", "h", "/v1", "//h/v1", "ftp://h", "file:///x", "http:", "http://", "http:///v1", "http://h:0", "http://h:x",
        "http://h?x=1",
        "http://h/#f", "http://h/v 1", "http://h/\n", "http://h\u{0}", "http://[::1", "mailto:a@b",
    ])
    func `refuses a text that is no base URL`(_ text: String) {
        let error = #expect(throws: SessionError.self) { try HTTPSession(text, transport: StubTransport()) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: ["", "foo", "/foo", "//h/foo"])
    func `needs a base for a relative path`(_ path: String) async throws {
        let api = try self.api(nil)
        let error = await #expect(throws: SessionError.self) { try await api.get(path) }
        #expect(error?.code == .invalidURL)
    }

    /// The usual text is joined to the base without a resolver; the result must be the resolver's.
    @Test(
        arguments: [
            "https://a.example/", "https://a.example/v1/", "https://u:p@a.example:8443/a/b/",
            "https://a.example/a/../b/", "https://a.example", "https://a.example/v1", "http://a.example/?q",
        ]
    )
    func `text is resolved as RFC 3986 says, whatever its shape`(base: String) throws {
        let texts = [
            "users", "users/1", "users?page=2&size=3", "a//b", "a/./b", "a/../b", ".hidden", "..", "a/.hidden",
            "a?b=/../c", "a/b/",
            "a;b", "x%20y", "a b", "é", "?q=1", "/root", "a?", "a?b?c", "a=b&c", "~user/_x-y.z",
        ]
        let base = try #require(URL(string: base))
        for text in texts {
            let expected = try #require(URL(string: text, relativeTo: base)).absoluteURL.absoluteString
            #expect(try text.resolved(against: base).absoluteString == expected, "\(text)")
        }
    }
}
