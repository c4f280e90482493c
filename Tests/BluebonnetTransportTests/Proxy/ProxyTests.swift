// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import Testing

@Suite struct ProxyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var text: String
        var proxy: Proxy
        var testDescription: String { self.text }

        init(_ text: String, _ proxy: Proxy) {
            self.text = text
            self.proxy = proxy
        }
    }

    @Test(arguments: [
        Case("proxy", Proxy(scheme: .http, host: "proxy", port: 80)),
        Case("proxy:3128", Proxy(scheme: .http, host: "proxy", port: 3128)),
        Case("proxy:", Proxy(scheme: .http, host: "proxy", port: 80)),
        Case("http://Proxy.Example:8080/", Proxy(scheme: .http, host: "proxy.example", port: 8080)),
        Case("HTTPS://proxy", Proxy(scheme: .https, host: "proxy", port: 443)),
        Case("socks5://10.0.0.1", Proxy(scheme: .socks5, host: "10.0.0.1", port: 1080)),
        Case("socks5h://[::1]:9050", Proxy(scheme: .socks5h, host: "::1", port: 9050)),
        Case("  http://proxy:1 \n", Proxy(scheme: .http, host: "proxy", port: 1)),
        Case("http://ada@proxy", Proxy(scheme: .http, host: "proxy", username: "ada")),
        Case("http://ada:@proxy", Proxy(scheme: .http, host: "proxy", username: "ada", password: "")),
        Case("http://ada:se%3Acr%40t@proxy", Proxy(scheme: .http, host: "proxy", username: "ada", password: "se:cr@t")),
        Case("http://a:b@c:d@proxy", Proxy(scheme: .http, host: "proxy", username: "a", password: "b@c:d")),
        Case("ada:pass@proxy:9", Proxy(scheme: .http, host: "proxy", port: 9, username: "ada", password: "pass")),
        Case("socks5://%C3%A4:b@p", Proxy(scheme: .socks5, host: "p", username: "ä", password: "b")),
    ])
    func `is read from a URL`(_ one: Case) throws {
        #expect(try Proxy(one.text) == one.proxy)
    }

    @Test(.bug(id: "F286")) func `the host in a URL may be an IPv4-mapped address`() throws {
        for text in ["http://[::ffff:127.0.0.1]:3128", "http://[::FFFF:7f00:1]:3128"] {
            let host = String(text.lowercased().dropFirst("http://[".count).dropLast("]:3128".count))
            #expect(try Proxy(text) == Proxy(scheme: .http, host: host, port: 3128))
        }
    }

    @Test(arguments: [
        "", "   ", "http://", "http://:80", "http://proxy:0", "http://proxy:65536", "http://proxy:80x",
        "http://proxy:-1",
        "http://proxy:99999999999999999999", "ftp://secret@proxy", "socks4://secret@proxy", "socks://proxy", "://proxy",
        "http://proxy/path", "http://proxy?secret", "http://proxy#secret", "http://::1:80", "http://[::1",
        "http://[::1]x",
        "http://[proxy]", "http://[127.0.0.1]", "http://pro xy", "http://pröxy", "http://proxy\r\nX: y",
        "http://proxy\u{0}",
        "http://secret%zz@proxy", "http://secret%f@proxy", "http://secret%ff@proxy", "http://a%3Asecret:b@proxy",
        "http://secret%0D%0AX:b@proxy", "http://a:secret%00@proxy", "socks5://:secret@proxy", "http://pro_xy,secret",
        "socks5://" + String(repeating: "secret", count: 43) + "@proxy", "http://secret@proxy\\path",
        "socks5://a:" + String(repeating: "secret", count: 43) + "@proxy",
    ])
    func `refuses what is no proxy, without repeating secrets`(_ text: String) throws {
        let error = try #require(throws: TransportError.self) { try Proxy(text) }
        #expect(error.code == .invalidProxy)
        #expect(!error.isRequestSent)
        #expect(!"\(error)".contains("secret"), "\(error)")
    }

    @Test func `shows no credentials`() throws {
        var proxy = try Proxy("http://ada:secret@proxy:3128")
        proxy.headers[.proxyAuthorization] = "Bearer token"
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), dumped, "\(ProxyConfiguration.fixed(proxy))"] {
            #expect(text.contains("http://proxy:3128"))
            #expect(!text.contains("ada") && !text.contains("secret") && !text.contains("token"), "\(text)")
        }
    }
}

@Suite struct ProxyBypassTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var list: String
        var reached: [String]
        var notReached: [String]
        var testDescription: String { self.list }
    }

    static let cases = [
        Case(list: "", reached: [], notReached: ["example.com", "localhost", "127.0.0.1"]),
        Case(list: "*", reached: ["example.com", "127.0.0.1", "::1", "localhost"], notReached: []),
        Case(list: "a.org, * ,b.org", reached: ["example.com"], notReached: []),
        Case(
            list: "example.com",
            reached: ["example.com", "EXAMPLE.com", "www.example.com", "a.b.example.com", "example.com."],
            notReached: ["badexample.com", "example.com.evil.org", "example.org", "com", "ample.com"]
        ),
        Case(
            list: ".Example.COM.",
            reached: ["example.com", "www.example.com"],
            notReached: ["badexample.com"]
        ),
        Case(list: "*.example.com", reached: ["www.example.com"], notReached: ["badexample.com", "com"]),
        Case(list: "localhost", reached: ["localhost", "x.localhost"], notReached: ["127.0.0.1", "::1"]),
        Case(list: "a.org b.org\tc.org,,d.org", reached: ["a.org", "b.org", "c.org", "d.org"], notReached: ["e.org"]),
        Case(list: "example.com:8080", reached: ["example.com:8080"], notReached: ["example.com", "example.com:80"]),
        Case(list: "example.com:443", reached: ["example.com:443"], notReached: ["example.com:444"]),
        Case(
            list: "127.0.0.1",
            reached: ["127.0.0.1", "127.0.0.1:99", "::ffff:127.0.0.1"],
            notReached: ["127.0.0.2", "1.127.0.0.1", "localhost"]
        ),
        Case(list: "127.0.0.1:81", reached: ["127.0.0.1:81"], notReached: ["127.0.0.1"]),
        // The end of an address is no domain.
        Case(list: "0.0.1, .1", reached: [], notReached: ["127.0.0.1", "10.0.0.1"]),
        Case(
            list: "10.0.0.0/8,192.168.16.0/20",
            reached: ["10.0.0.1", "10.255.255.255", "192.168.16.0", "192.168.31.255"],
            notReached: ["11.0.0.0", "192.168.15.255", "192.168.32.0", "10.example.com", "::a00:1"]
        ),
        Case(list: "0.0.0.0/0", reached: ["1.2.3.4"], notReached: ["::1", "example.com"]),
        Case(list: "1.2.3.4/32", reached: ["1.2.3.4"], notReached: ["1.2.3.5"]),
        Case(list: "::ffff:10.0.0.0/104", reached: ["10.1.2.3"], notReached: ["11.1.2.3"]),
        Case(list: "::1", reached: ["::1", "0:0:0:0:0:0:0:1"], notReached: ["::2"]),
        Case(list: "[::1]:8080", reached: ["[::1]:8080"], notReached: ["[::1]:80"]),
        Case(
            list: "FD00::/8, fe80::/10",
            reached: ["fd00::1", "fdff::", "fe80::1", "fe80::1%eth0", "febf::1"],
            notReached: ["fe00::1", "fec0::1", "::1"]
        ),
    ]

    static func origin(_ text: String) -> Origin {
        if let colon = text.lastIndex(of: ":"), text.hasPrefix("[") || text.count(where: { $0 == ":" }) == 1,
            let port = Int(text[text.index(after: colon)...])
        {
            return Origin(scheme: .http, host: String(text[..<colon]), port: port)
        }
        return Origin(scheme: .http, host: text)
    }

    @Test(arguments: cases) func `says what goes around a proxy`(_ one: Case) throws {
        let bypass = try ProxyBypass(one.list)
        for host in one.reached { #expect(bypass.contains(Self.origin(host)), "\(host)") }
        for host in one.notReached { #expect(!bypass.contains(Self.origin(host)), "\(host)") }
    }

    @Test(.bug(id: "F286")) func `an IPv4-mapped address in brackets is an address in the list`() throws {
        for (list, other) in [("[::ffff:127.0.0.1]:8080", "127.0.0.1:80"), ("[::ffff:127.0.0.1]", "127.0.0.2:8080")] {
            let bypass = try ProxyBypass(list)
            for host in ["127.0.0.1:8080", "[::ffff:127.0.0.1]:8080"] { #expect(bypass.contains(Self.origin(host))) }
            #expect(!bypass.contains(Self.origin(other)))
        }
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "fd00::/129", "::ffff:10.0.0.0/95", "example.com/8",
        "example.com:0", "example.com:70000", "example.com:", "example.com:http", "[::1]:x", "[nope]", ":80", ".", "*.",
        "<local>", "http://example.com", "a.org,10.0.0.0/99999999999999999999", "user@host",
    ])
    func `refuses an entry that means nothing`(_ list: String) throws {
        let error = try #require(throws: TransportError.self) { try ProxyBypass(list) }
        #expect(error.code == .invalidProxy)
    }
}
