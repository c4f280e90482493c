// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet

/// The rules of RFC 6265bis, case by case.
@Suite struct CookieRulesTests {
    struct Sequence: Decodable, Sendable, CustomTestStringConvertible {
        struct Step: Decodable, Sendable {
            var url: String
            var set: [String]?
            var sent: String?
        }

        var what: String
        var steps: [Step]

        var testDescription: String { self.what }
    }

    @Test(arguments: try CookieFixtures.rows("sequences", Sequence.self))
    func `what a server sets decides on what is sent`(_ one: Sequence) throws {
        let jar = CookieJar(TestCalendar())
        for step in one.steps {
            if let fields = step.set {
                for field in fields { try jar.take(field, step.url) }
            } else {
                let sent = try jar.field(step.url)
                #expect(sent.map { Array($0.utf8) } == step.sent.map { Array($0.utf8) }, "\(step.url): \(sent ?? "-")")
            }
        }
    }

    struct DateCase: Decodable, Sendable, CustomTestStringConvertible {
        var date: String
        var seconds: Double?

        var testDescription: String { self.date }
    }

    @Test(arguments: try CookieFixtures.rows("dates", DateCase.self))
    func `a date is read in every form`(_ one: DateCase) {
        #expect(CookieDate.parse(one.date.utf8)?.timeIntervalSince1970 == one.seconds)
    }

    struct DomainCase: Decodable, Sendable, CustomTestStringConvertible {
        var host: String
        var domain: String
        /// `host` for a host-only cookie, `domain` for one of the domain, or the reason to refuse it.
        var result: String

        var testDescription: String { "\(self.domain) from \(self.host)" }
    }

    @Test(arguments: try CookieFixtures.rows("domains", DomainCase.self))
    func `the Domain attribute is judged by the host`(_ one: DomainCase) throws {
        let jar = CookieJar(TestCalendar())
        let refusal = try jar.take("x=1; Domain=\(one.domain)", "http://\(one.host)/")
        let result = refusal?.rawValue ?? (jar.cookies.first?.isHostOnly == true ? "host" : "domain")
        #expect(result == one.result)
        #expect(jar.cookies.count == (refusal == nil ? 1 : 0))
        if refusal == nil { #expect(try jar.field("http://\(one.host)/") == "x=1") }
    }

    struct PathCase: Decodable, Sendable, CustomTestStringConvertible {
        var path: String
        var cookie: String
        var matches: Bool

        var testDescription: String { "\(self.path) and \(self.cookie)" }
    }

    @Test(arguments: try CookieFixtures.rows("paths", PathCase.self))
    func `a path matches a cookie's path as a whole directory`(_ one: PathCase) throws {
        #expect(CookieRequest.path(one.path, matches: one.cookie) == one.matches)
        let jar = CookieJar(TestCalendar())
        try jar.take("x=1; Path=\(one.cookie)", "http://h.example/")
        #expect(try jar.field("http://h.example\(one.path)") == (one.matches ? "x=1" : nil))
    }

    struct DefaultPathCase: Decodable, Sendable, CustomTestStringConvertible {
        var path: String
        var `default`: String

        var testDescription: String { self.path }
    }

    @Test(arguments: try CookieFixtures.rows("default-paths", DefaultPathCase.self))
    func `the default path is the directory of the request`(_ one: DefaultPathCase) throws {
        let target = try RequestTarget(try Peer.url("http://h.example\(one.path)"))
        #expect(CookieRequest(target, CookieJar.Options()).defaultPath == one.default)
    }

    struct SizeCase: Decodable, Sendable, CustomTestStringConvertible {
        var what: String
        var name: Int
        var value: Int
        var isKept: Bool

        var testDescription: String { self.what }
    }

    @Test(arguments: try CookieFixtures.rows("sizes", SizeCase.self))
    func `name and value together have 4,096 bytes at most`(_ one: SizeCase) throws {
        let (name, value) = (String(repeating: "n", count: one.name), String(repeating: "v", count: one.value))
        let refusal = try CookieJar(TestCalendar()).take("\(name)=\(value)", "http://h.example/")
        #expect(refusal == (one.isKept ? nil : .tooLarge))
    }

    @Test(arguments: [(1024, true), (1025, false)])
    func `an attribute of more than 1,024 bytes is ignored`(_ count: Int, _ isTaken: Bool) throws {
        let jar = CookieJar(TestCalendar())
        let path = "/" + String(repeating: "p", count: count - 1)
        try jar.take("x=1; Path=\(path)", "http://h.example/a/b")
        #expect(jar.cookies.first?.path == (isTaken ? path : "/a"))
        try jar.take("y=1; Domain=h.example; Domain=" + String(repeating: "d", count: 1025), "http://h.example/")
        #expect(jar.cookies.last?.isHostOnly == false)
        try jar.take("z=1; Max-Age=0; Max-Age=1" + String(repeating: "0", count: count - 1), "http://h.example/")
        #expect(jar.cookies.contains { $0.name == "z" } == isTaken)
    }

    @Test(arguments: [
        ("", 1024, nil), ("", 1025, Cookie.Refusal.tooLarge), ("; Path=/", 1025, nil), ("; Path=", 1025, .tooLarge),
    ])
    func `a cookie has no longer path than 1,024 bytes, whoever chooses it`(
        _ attribute: String,
        _ count: Int,
        _ refusal: Cookie.Refusal?
    ) throws {
        let jar = CookieJar(TestCalendar())
        let path = "/" + String(repeating: "p", count: count - 1)
        #expect(try jar.take("x=1" + attribute, "http://h.example\(path)/b") == refusal)
        #expect(jar.cookies.map(\.path) == (refusal == nil ? [attribute.isEmpty ? path : "/"] : []))
    }

    @Test(arguments: [
        ("Max-Age=34560000", 34_560_000.0), ("Max-Age=34560001", 34_560_000),
        ("Max-Age=9223372036854775807", 34_560_000),
        ("Max-Age=9223372036854775808", 34_560_000), ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_560_000),
        ("Max-Age=60", 60),
        ("Expires=Thu, 01 Jan 2026 00:01:00 GMT", 60),
    ])
    func `no cookie lasts longer than 400 days`(_ attribute: String, _ seconds: Double) throws {
        let calendar = TestCalendar()
        let jar = CookieJar(calendar)
        try jar.take("x=1; \(attribute)", "http://h.example/")
        #expect(jar.cookies.first?.expires == calendar.now + seconds)
    }

    @Test func `a cookie without an end is the session's`() throws {
        let jar = CookieJar(TestCalendar())
        try jar.take("x=1", "http://h.example/")
        try jar.take("y=1; Max-Age=10", "http://h.example/")
        #expect(jar.cookies.map(\.expires).map { $0 == nil } == [true, false])
        jar.removeSessionCookies()
        #expect(jar.cookies.map(\.name) == ["y"])
    }

    @Test func `bytes that are not UTF-8 are sent back as they came`() throws {
        let jar = CookieJar(TestCalendar())
        let url = try Peer.url("http://h.example/")
        let field: [UInt8] = [0xFF, UInt8(ascii: "="), 0xC3, 0x28, 0x80, 0xFE]
        try jar.receive(bytes: field, from: url)
        #expect(jar.field(for: CookieRequest(try RequestTarget(url), jar.options)) == field)
        #expect(jar.cookies.first?.value == "\u{FFFD}(\u{FFFD}\u{FFFD}")
    }

    @Test func `a description holds no value`() throws {
        let cookie = try Cookie("session", "s3cret", domain: "example.com")
        #expect(!"\(cookie)\(String(reflecting: cookie))\(String(describing: Optional(cookie)))".contains("s3cret"))
        var text = ""
        dump(cookie, to: &text)
        #expect(!text.contains("s3cret"))
        #expect("\(cookie)" == "session for example.com/")
    }
}
