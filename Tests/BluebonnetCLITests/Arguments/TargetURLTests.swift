// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import BluebonnetCLI

@Suite struct TargetURLTests {
    @Test(arguments: [
        ("example.org", "http://example.org/"), (":8080", "http://localhost:8080/"),
        (":8080/a/b", "http://localhost:8080/a/b"),
        (":/a", "http://localhost/a"), (":", "http://localhost/"), ("localhost", "http://localhost/"),
        ("localhost:8080", "http://localhost:8080/"), ("https://a.b/c?d=e", "https://a.b/c?d=e"),
        ("HTTP://EXAMPLE.org/X", "http://example.org/X"), ("://example.org/x", "http://example.org/x"),
        ("example.org?q=1", "http://example.org/?q=1"), ("example.org#top", "http://example.org/"),
        ("example.org/a?b#c", "http://example.org/a?b"), ("[::1]:80/x", "http://[::1]:80/x"),
        ("http://[fe80::1]/", "http://[fe80::1]/"), ("example.org/a b", "http://example.org/a%20b"),
        ("example.org/ü", "http://example.org/%C3%BC"), ("example.org/a%20b", "http://example.org/a%20b"),
        ("example.org/100%", "http://example.org/100%25"), ("example.org/%zz", "http://example.org/%25zz"),
        ("example.org/[a]", "http://example.org/%5Ba%5D"),
        ("example.org/\"<>\\^`{|}", "http://example.org/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("localhost/get?u=http://x/y", "http://localhost/get?u=http://x/y"), ("example.org:/x", "http://example.org/x"),
        ("http-bin.example/x", "http://http-bin.example/x"), ("httpbin:80/x", "http://httpbin:80/x"),
        ("Bücher.DE:80/ü", "http://xn--bcher-kva.de:80/%C3%BC"), ("straße.de", "http://xn--strae-oqa.de/"),
        ("例え。jp", "http://xn--r8jz45g.jp/"), ("ПРИМЕР.рф", "http://xn--e1afmkfd.xn--p1ai/"),
        ("☃.net", "http://xn--n3h.net/"), ("münchen.example", "http://xn--mnchen-3ya.example/"),
        (" example.org/a ", "http://example.org/a"),
        ("a.example/\u{301}@evil.example/", "http://a.example/%CC%81@evil.example/"),
        ("a.example?\u{200D}@evil.example", "http://a.example/?%E2%80%8D@evil.example"),
        ("a.example#\u{FE0F}@evil.example", "http://a.example/"),
        ("http://\u{301}a@b.example/", "http://b.example/"), ("a@\u{301}b@c.example/", "http://c.example/"),
    ])
    func `writes shorthands out and encodes what needs it`(_ text: String, _ url: String) throws {
        #expect(try TargetURL(text).url.absoluteString == url)
    }

    @Test(
        .bug(id: "F824"),
        arguments: [
            ("127.1:80/x", "127.0.0.1:80/x"), ("2130706433", "127.0.0.1/"), ("0x7F.1", "127.0.0.1/"),
            ("0", "0.0.0.0/"), ("010.0.0.1", "8.0.0.1/"), ("10.2.3.4", "10.2.3.4/"), ("1.2.3.4.5", "1.2.3.4.5/"),
            ("256.0.0.1", "256.0.0.1/"), ("1.65536", "1.1.0.0/"), ("4294967296", "4294967296/"),
            ("127.0.0.1.", "127.0.0.1./"), ("dead.beef", "dead.beef/"), ("1.example", "1.example/"),
            ("1..2", "1..2/"), ("+1", "+1/"), ("09.0.0.1", "09.0.0.1/"),
        ]
    )
    func `an IPv4 address has one notation`(_ text: String, _ url: String) throws {
        #expect(try TargetURL(text).url.absoluteString == "http://" + url)
    }

    @Test(arguments: [
        ("", "the URL is empty"), ("htp://x", "did you mean “http://”?"), ("htttps://x", "did you mean “https://”?"),
        ("ftp://x", "is not supported"), ("gopher://x", "is not supported"),
        ("file:///etc/passwd", "is not supported"),
        ("http:/x", "did you mean “http://x”?"), ("http//x/y", "did you mean “http://x/y”?"),
        ("https:x.org", "did you mean “https://x.org”?"), ("http://", "has no host"), ("http:///x", "has no host"),
        ("example.org:0", "is not a port"), ("example.org:65536", "is not a port"),
        ("example.org:http", "is not a port"),
        ("example.org:+80", "is not a port"), ("a b.org", "holds “ ”"), ("exa\"mple", "holds “\"”"),
        ("a\r\nHost:x", "control character (0xD)"), ("a\u{0}", "control character (0x0)"),
        ("bu\u{308}cher.de", "no host has"), ("ｅxample.org", "no host has"), ("a\u{200D}b.de", "no host has"),
        ("\u{2764}\u{FE0F}.de", "no host has"), ("ü\u{A0}ber.de", "no host has"), ("ü b.de", "no host has"),
        ("::1", "in brackets"), ("[::1", "lacks the “]”"), ("[::1]x", "text between"), ("[x]", "not an IPv6 address"),
        ("a<b", "holds “<”"), ("a:80\u{301}", "is not a port"), ("[::1]\u{301}", "text between"),
        ("/path", "has no host"), ("?q", "has no host"), (":abc", "“abc” is not a port"),
        (":a/b@c", "in user information write “/” as %2F"),
    ])
    func `explains what is wrong with a URL`(_ text: String, _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try TargetURL(text) }
        #expect(failure.status == .usage)
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }

    @Test func `keeps the user information out of the URL`() throws {
        let target = try TargetURL("http://ada:s%40cret@example.org/x")
        #expect(target.url.absoluteString == "http://example.org/x")
        #expect(target.userInfo == TargetURL.UserInfo(user: "ada", password: "s@cret"))
    }

    @Test(
        .bug(id: "F692"),
        arguments: [
            (":secret@example.org:81/x", "http://example.org:81/x", "secret"),
            (":80@example.org", "http://example.org/", "80"), ("::1@example.org/", "http://example.org/", ":1"),
        ]
    )
    func `a colon at the beginning of user information separates an empty user from a password`(
        _ text: String,
        _ url: String,
        _ password: String
    ) throws {
        let target = try TargetURL(text)
        #expect(target.url.absoluteString == url)
        #expect(target.userInfo == TargetURL.UserInfo(user: "", password: password))
    }

    @Test(arguments: [
        ("example.org", "http://example.org/?a=1&b=x%20y"), ("example.org/?q", "http://example.org/?q&a=1&b=x%20y"),
        ("example.org/?", "http://example.org/?a=1&b=x%20y"),
        ("example.org/?q=1&", "http://example.org/?q=1&a=1&b=x%20y"),
    ])
    func `appends query items to what is there`(_ text: String, _ url: String) throws {
        var target = try TargetURL(text)
        try target.append(query: [("a", "1"), ("b", "x y")])
        #expect(target.url.absoluteString == url)
    }
}
