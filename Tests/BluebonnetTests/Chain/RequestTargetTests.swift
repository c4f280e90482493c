// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials
import Testing

@testable import Bluebonnet

@Suite struct RequestTargetTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var url: String
        var origin: String
        var target: String
        var testDescription: String { self.url }
    }

    @Test(arguments: [
        Case(url: "http://example.com", origin: "http://example.com", target: "/"),
        Case(url: "http://example.com/", origin: "http://example.com", target: "/"),
        Case(url: "HTTP://EXAMPLE.com/A", origin: "http://example.com", target: "/A"),
        Case(url: "https://example.com:443/a", origin: "https://example.com", target: "/a"),
        Case(url: "https://example.com:8443/a", origin: "https://example.com:8443", target: "/a"),
        Case(url: "http://example.com:/a", origin: "http://example.com", target: "/a"),
        Case(url: "http://example.com:00080/", origin: "http://example.com", target: "/"),
        Case(url: "http://example.com:65535/", origin: "http://example.com:65535", target: "/"),
        Case(url: "http://example.com?q=1", origin: "http://example.com", target: "/?q=1"),
        Case(url: "http://example.com/?q=a?b/c", origin: "http://example.com", target: "/?q=a?b/c"),
        Case(url: "http://example.com/a#f", origin: "http://example.com", target: "/a"),
        Case(url: "http://example.com#f?x", origin: "http://example.com", target: "/"),
        Case(url: "http://example.com/a?#f", origin: "http://example.com", target: "/a?"),
        Case(url: "http://[::1]:8080/x", origin: "http://[::1]:8080", target: "/x"),
        Case(url: "http://[2001:DB8::1]", origin: "http://[2001:db8::1]", target: "/"),
        Case(url: "http://127.0.0.1:1/", origin: "http://127.0.0.1:1", target: "/"),
        Case(url: "http://user:secret@example.com/", origin: "http://example.com", target: "/"),
        Case(url: "http://a@b@example.com/", origin: "http://example.com", target: "/"),
        Case(url: "http://evil.example%2F@example.com/", origin: "http://example.com", target: "/"),
        Case(url: "http://example.com//a//b", origin: "http://example.com", target: "//a//b"),
        Case(url: "http://example.com/a/../b", origin: "http://example.com", target: "/a/../b"),
        Case(url: "http://example.com/caf\u{e9}?q=\u{e9}", origin: "http://example.com", target: "/caf%C3%A9?q=%C3%A9"),
        Case(url: "http://example.com/a b", origin: "http://example.com", target: "/a%20b"),
        Case(url: "http://exa_mple.com/", origin: "http://exa_mple.com", target: "/"),
        Case(url: "http://xn--bcher-kva.example/", origin: "http://xn--bcher-kva.example", target: "/"),
    ])
    func `takes a URL apart`(_ example: Case) throws {
        let url = try Peer.url(example.url)
        let target = try RequestTarget(url)
        #expect(target.origin.description == example.origin)
        #expect(try Origin(url) == target.origin)
        #expect(try Origin(example.url) == target.origin)
        #expect(target.target == example.target)
    }

    @Test(.bug(id: "F685")) func `a host has at most 255 bytes`() throws {
        let host = String(repeating: "a.", count: 127) + "a"
        #expect(try RequestTarget(Peer.url("http://\(host)/")).origin.host == host)
        let error = #expect(throws: SessionError.self) { try RequestTarget(Peer.url("http://a\(host)/")) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: [
        "ftp://example.com/", "file:///etc/passwd", "mailto:a@example.com", "javascript:alert(1)", "relative/path",
        "/path",
        "//example.com/path", "http:", "http:/path", "http:path", "http://", "http:///path", "http://?q", "http://#f",
        "http://:80/", "http://user@/", "http://example.com:0/", "http://example.com:65536/",
        "http://example.com:99999999999999999999/", "http://%65xample.com/",
        "http://example.com%00/", "http://example.com%0d%0aX:1/", "http://a;b/", "http://a'b/", "http://[zz]/",
        "http://[]/",
        "http://[1]/", "http://[fe80::1%25eth0]/", "httpss://example.com/", "http ://example.com/",
    ])
    func `refuses a URL that cannot be requested`(_ text: String) throws {
        #expect(throws: SessionError.self) { try Origin(text) }
        // What is not a URL for Foundation does not get this far.
        guard let url = URL(string: text) else { return }
        let error = #expect(throws: SessionError.self) { try RequestTarget(url) }
        #expect(error?.code == .invalidURL)
        #expect(error?.reason.isEmpty == false)
        #expect(throws: SessionError.self) { try Origin(url) }
    }

    @Test func `takes an international name only in its ASCII form`() throws {
        // Foundation writes it so where it knows how; FoundationEssentials alone does not.
        let url = try Peer.url("http://b\u{fc}cher.example/")
        do {
            #expect(try RequestTarget(url).origin.host == "xn--bcher-kva.example")
        } catch {
            #expect(error.code == .invalidURL)
            #expect(error.reason.contains("xn--"))
        }
    }

    @Test(arguments: [
        ("http://user:secret@example.com/path?token=1#f", "http://example.com/path"),
        ("https://example.com:444/a/b?x", "https://example.com:444/a/b"),
        ("https://example.com?x", "https://example.com/"),
        ("ftp://user:secret@example.com/path", "(unusable URL)"),
        ("http://user:secret@", "(unusable URL)"),
    ])
    func `prints no user information, query or fragment`(_ text: String, _ redacted: String) throws {
        #expect(RequestTarget.redacted(try Peer.url(text)) == redacted)
    }
}
