// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

/// A jar over time, its limits and its functions for programs.
@Suite struct CookieJarTests {
    private let calendar = TestCalendar()
    private let url = "http://h.example/"

    // MARK: Time

    @Test func `a cookie ends when its time has come, and reading does not move it`() throws {
        let jar = CookieJar(self.calendar)
        try jar.take("x=1; Max-Age=100", self.url)
        for _ in 0..<9 {
            self.calendar.advance(by: 11)
            #expect(try jar.field(self.url) == "x=1")
        }
        self.calendar.advance(by: 1)
        #expect(try jar.field(self.url) == nil)
        #expect(jar.cookies.isEmpty)
    }

    @Test func `cookies end one after the other`() throws {
        let jar = CookieJar(self.calendar)
        for age in [30, 10, 20] { try jar.take("x\(age)=1; Max-Age=\(age)", self.url) }
        for left in [3, 2, 1, 0] {
            #expect(jar.cookies.count == left)
            self.calendar.advance(by: 10)
        }
    }

    // MARK: Limits

    @Test func `a domain has 50 cookies, and those that were not used for longest go`() throws {
        let jar = CookieJar(self.calendar)
        for number in 0..<50 { try jar.take("x\(number)=1; Path=/\(number)", self.url) }
        _ = try jar.field("\(self.url)0")
        try jar.take("new=1", self.url)
        let names = jar.cookies.map(\.name)
        #expect(names.count == 50)
        #expect(names.contains("x0") && !names.contains("x1") && names.contains("new"))
    }

    @Test func `cookies that are not secure go first`() throws {
        let jar = CookieJar(self.calendar)
        for number in 0..<49 { try jar.take("x\(number)=1; Secure", "https://h.example/") }
        try jar.take("plain=1", self.url)
        try jar.take("last=1; Secure", "https://h.example/")
        #expect(jar.cookies.count == 50)
        #expect(!jar.cookies.contains { $0.name == "plain" })
    }

    @Test func `expired cookies go before others`() throws {
        let jar = CookieJar(self.calendar)
        for number in 0..<49 { try jar.take("x\(number)=1", self.url) }
        try jar.take("short=1; Max-Age=5", self.url)
        self.calendar.advance(by: 5)
        try jar.take("last=1", self.url)
        #expect(jar.cookies.count == 50)
        #expect(jar.cookies.contains { $0.name == "x0" })
    }

    @Test func `a jar has 3,000 cookies`() throws {
        let jar = CookieJar(self.calendar)
        for number in 0..<3010 { try jar.take("x=\(number)", "http://h\(number).example/") }
        #expect(jar.cookies.count == 3000)
        #expect(jar.cookies.first?.value == "10")
    }

    @Test func `the limits of a jar can be set, and none is negative`() throws {
        let jar = CookieJar(self.calendar) {
            $0.cookiesPerDomain = 2
            $0.cookieCount = 3
        }
        for host in ["a", "b"] {
            for number in 0..<3 { try jar.take("x\(number)=1", "http://\(host).example/") }
        }
        #expect(jar.cookies.map { "\($0.domain) \($0.name)" } == ["a.example x2", "b.example x1", "b.example x2"])
        let empty = CookieJar(self.calendar) { $0.cookieCount = -1 }
        try empty.take("x=1", self.url)
        #expect(empty.cookies.isEmpty)
    }

    @Test(.bug(id: "F681"), arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 10])
    func `the longest lifetime of a cookie may be any duration`(_ life: Duration) throws {
        let jar = CookieJar(self.calendar) { $0.maximumLifetime = life }
        let years = 100.0 * 365 * 86_400
        try jar.take("a=1; Max-Age=\(Int(years))", "http://h.example/")
        try jar.set(try Cookie("b", "2", domain: "h.example", expires: self.calendar.now.addingTimeInterval(years)))
        #expect(jar.cookies.map(\.expires) == Array(repeating: self.calendar.now.addingTimeInterval(years), count: 2))
    }

    @Test func `a field that would be too long leaves the shortest paths out`() throws {
        let jar = CookieJar(self.calendar) { $0.maximumFieldByteCount = 100 }
        for number in 1...5 {
            let path = "/" + String(repeating: "p/", count: number)
            try jar.take("x\(number)=\(String(repeating: "v", count: 30)); Path=\(path)", self.url)
        }
        let field = try #require(try jar.field("\(self.url)p/p/p/p/p/p"))
        #expect(field.utf8.count <= 100)
        #expect(field.hasPrefix("x5=") && field.contains("x4=") && !field.contains("x1="))
    }

    // MARK: Loopback

    @Test(arguments: ["localhost", "app.localhost", "127.0.0.1", "127.5.6.7", "[::1]"])
    func `secure cookies of this machine need an option`(_ host: String) throws {
        let strict = CookieJar(self.calendar)
        #expect(try strict.take("x=1; Secure", "http://\(host):8080/") == .insecureOrigin)
        let trusting = CookieJar(self.calendar) { $0.trustsLoopback = true }
        #expect(try trusting.take("x=1; Secure", "http://\(host):8080/") == nil)
        #expect(try trusting.field("http://\(host)/") == "x=1")
    }

    @Test(arguments: [
        "example.com", "localhost.example.com", "1.127.0.0", "128.0.0.1", "127.0.0.1.example.com", "127.1", "[::2]",
    ])
    func `no other machine counts as this one`(_ host: String) throws {
        let jar = CookieJar(self.calendar) { $0.trustsLoopback = true }
        #expect(try jar.take("x=1; Secure", "http://\(host)/") == .insecureOrigin)
    }

    // MARK: Functions for programs

    @Test func `a program sets, reads and removes cookies`() throws {
        let jar = CookieJar(self.calendar)
        let cookie = try Cookie("a", "1", domain: ".Example.com", isHostOnly: false, path: "/x", isSecure: true)
        try jar.set(cookie)
        try jar.set(try Cookie("b", "2", domain: "www.example.com", isHTTPOnly: true))
        #expect(jar.cookies.map(\.name) == ["a", "b"])
        #expect(jar.cookies(for: try Peer.url("https://www.example.com/x")).map(\.name) == ["a", "b"])
        #expect(jar.cookies(for: try Peer.url("http://www.example.com/x")).map(\.name) == ["b"])
        #expect(jar.cookies(for: try Peer.url("ftp://www.example.com/x")).isEmpty)
        jar.remove(cookie)
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll { $0.isHTTPOnly }
        #expect(jar.cookies.isEmpty)
        try jar.set(cookie)
        jar.removeAll()
        #expect(try jar.field("https://www.example.com/x") == nil)
    }

    @Test func `a program cannot set what a server could not`() throws {
        let jar = CookieJar(self.calendar)
        for domain in ["com", "co.uk", "github.io"] {
            let cookie = try Cookie("a", "1", domain: domain, isHostOnly: false)
            #expect(throws: Cookie.Refusal.publicSuffix) { try jar.set(cookie) }
        }
        let long = try Cookie("a", String(repeating: "v", count: 4096), domain: "h.example")
        #expect(throws: Cookie.Refusal.tooLarge) { try jar.set(long) }
        #expect(jar.cookies.isEmpty)
    }

    struct MakingCase: Sendable {
        var name = "n"
        var value = "v"
        var domain = "h.example"
        var path = "/"
        var refusal: Cookie.Refusal
    }

    @Test(arguments: [
        MakingCase(name: "", value: "", refusal: .empty), MakingCase(name: "a\r\nb", refusal: .controlCharacter),
        MakingCase(value: "a\r\nSet-Cookie: b=c", refusal: .controlCharacter),
        MakingCase(value: "a\0", refusal: .controlCharacter),
        MakingCase(value: "a;b", refusal: .invalidCharacter), MakingCase(name: "a;b", refusal: .invalidCharacter),
        MakingCase(name: "a=b", refusal: .invalidCharacter), MakingCase(name: " a", refusal: .invalidCharacter),
        MakingCase(value: "a ", refusal: .invalidCharacter),
        MakingCase(name: "", value: "a=b", refusal: .invalidCharacter),
        MakingCase(path: "", refusal: .invalidPath), MakingCase(path: "x", refusal: .invalidPath),
        MakingCase(path: "/\n", refusal: .controlCharacter), MakingCase(path: "/;", refusal: .invalidCharacter),
        MakingCase(domain: "", refusal: .invalidDomain), MakingCase(domain: ".", refusal: .invalidDomain),
        MakingCase(domain: "a b", refusal: .invalidDomain),
        MakingCase(domain: "bücher.example", refusal: .invalidDomain),
        MakingCase(name: "__Secure-a", refusal: .securePrefix), MakingCase(name: "__hOST-a", refusal: .hostPrefix),
        MakingCase(name: "", value: "__Host-a", refusal: .prefixInValue),
    ])
    func `what cannot be a cookie is refused when it is made`(_ one: MakingCase) {
        #expect(throws: one.refusal) {
            try Cookie(one.name, one.value, domain: one.domain, path: one.path)
        }
    }

    @Test func `a cookie that has ended removes the one it would replace`() throws {
        let jar = CookieJar(self.calendar)
        try jar.set(try Cookie("a", "1", domain: "h.example"))
        try jar.set(try Cookie("a", "", domain: "h.example", expires: self.calendar.now))
        #expect(jar.cookies.isEmpty)
    }

    @Test func `a jar says why it refuses a field`() throws {
        let jar = CookieJar(self.calendar)
        #expect(throws: Cookie.Refusal.publicSuffix) {
            try jar.receive("a=1; Domain=com", from: Peer.url("http://bank.com/"))
        }
        #expect(throws: Cookie.Refusal.unusableURL) { try jar.receive("a=1", from: Peer.url("file:///etc/passwd")) }
        let cookie = try jar.receive("a=1", from: try Peer.url("http://bank.com/"))
        #expect(jar.cookies == [cookie])
    }
}
