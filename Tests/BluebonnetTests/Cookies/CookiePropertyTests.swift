// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// What holds for every cookie, and for bytes that are none.
@Suite(.timeLimit(.minutes(1))) struct CookiePropertyTests {
    private let calendar = TestCalendar()

    @Test func `the order of attributes does not matter`() throws {
        let attributes = ["Path=/x", "Domain=example.com", "Secure", "HttpOnly", "Max-Age=100", "SameSite=None"]
        let expected = try CookieJar(self.calendar).receive(
            (["n=v"] + attributes).joined(separator: "; "),
            from: try Peer.url("https://www.example.com/")
        )
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let field = (["n=v"] + attributes.shuffled(using: &generator)).joined(separator: ";")
            let cookie = try CookieJar(self.calendar).receive(field, from: try Peer.url("https://www.example.com/"))
            #expect(cookie == expected)
        }
    }

    /// Fields made of the pieces that rules are about.
    private static let pieces = [
        "=", ";", " ", "\t", ",", "\"", "a", "n=v", "Path", "/", "Path=/", "Domain", "Domain=", ".", "com",
        "example.com", "h.example",
        "Max-Age=", "-", "0", "9999999999999999999999", "Expires=", "Sun, 06 Nov 2094 08:49:37 GMT", "Secure",
        "HttpOnly", "SameSite=",
        "None", "Lax", "__Host-", "__Secure-", "\0", "\r", "\n", "\r\n", "\u{7F}", "é", "\u{301}", "🍪", "%", "[::1]",
        "127.0.0.1",
    ]

    @Test func `any bytes are a cookie or a refusal, and what is sent is a field`() throws {
        var generator = SeededGenerator(seed: 2)
        let jar = CookieJar(self.calendar)
        let urls = [
            "http://h.example/a/b", "https://www.example.com/", "https://127.0.0.1/", "https://[::1]/", "http://com/",
        ]
        for round in 0..<3000 {
            let url = try Peer.url(urls[round % urls.count])
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                if round % 3 == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &generator))
                } else {
                    bytes += Array((Self.pieces.randomElement(using: &generator) ?? "").utf8)
                }
            }
            _ = try? jar.receive(bytes: bytes, from: url)
            let field = jar.field(for: CookieRequest(try RequestTarget(url), jar.options)) ?? []
            #expect(!field.contains(where: SetCookie.isControl))
        }
        #expect(!jar.cookies.isEmpty)
        for cookie in jar.cookies {
            // What a server can set can be written into both files and read again, as far as their formats go.
            let persistent = cookie.limited(to: .seconds(100), from: self.calendar.now)
            guard persistent.expires != nil else { continue }
            let line = CookieRecord.line(.set(persistent))
            #expect(CookieRecord.change(line.dropLast()).map(\.cookie.identity) == cookie.identity)
        }
    }

    @Test func `a record survives, and no change of a byte does`() throws {
        let cookie = try Cookie(
            "n%",
            "v\t ü",
            domain: "h.example",
            path: "/p q",
            expires: self.calendar.now,
            isSecure: true,
            sameSite: .strict
        )
        let line = CookieRecord.line(.set(cookie)).dropLast()
        guard case .set(let read)? = CookieRecord.change(line) else {
            Issue.record("the line was not read")
            return
        }
        #expect(
            read.identity == cookie.identity && read.valueBytes == cookie.valueBytes && read.expires == cookie.expires
        )
        #expect(read.isSecure && !read.isHTTPOnly && read.sameSite == .strict)
        for index in line.indices {
            var changed = line
            changed[index] ^= 1
            #expect(CookieRecord.change(changed) == nil)
            #expect(CookieRecord.change(line[..<index]) == nil)
        }
    }

    @Test func `a record with a good checksum holds a cookie all the same`() {
        let texts = [
            "", "\t", "+\t\t\t\t\t\t\t", "+\th\t/\tc\t99999999999999999999\t0\tn\tv", "+\th\tp\tc\t0\t0\tn\tv",
            "+\th\t/\tc\t0\t0\tn%0D%0A\tv",
        ]
        for text in texts {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            let digits = String(hash, radix: 16)
            let line = String(repeating: "0", count: 16 - digits.utf8.count) + digits + "\t" + text
            #expect(CookieRecord.change(Array(line.utf8)[...]) == nil)
        }
    }

    // MARK: Records

    @Test(arguments: ["=a=b", "==", "=\"=\"", "a"])
    func `a cookie without a name is read back from its record, whatever its value`(_ field: String) throws {
        let jar = CookieJar(self.calendar)
        let cookie = try jar.receive("\(field); Max-Age=100", from: try Peer.url("https://h.example/"))
        #expect(cookie.nameBytes.isEmpty)
        guard case .set(let read)? = CookieRecord.change(CookieRecord.line(.set(cookie)).dropLast()) else {
            Issue.record("the record was not read")
            return
        }
        #expect(read.identity == cookie.identity)
        #expect(read.valueBytes == cookie.valueBytes)
    }

    // MARK: Time

    @Test func `setting cookies takes time in proportion to their number`() throws {
        let seconds = try Scaling.seconds { factor in
            let jar = CookieJar(self.calendar)
            let urls = try (0..<(factor * 100)).map { try Peer.url("http://h\($0).example/") }
            return {
                for url in urls { try jar.receive("n=v; Max-Age=100", from: url) }
            }
        }
        #expect(seconds[3] / seconds[0] < Scaling.largestGrowth, "\(seconds)")
    }

    @Test func `the cookies of a request are found without looking at all others`() throws {
        let seconds = try Scaling.seconds { factor in
            let jar = CookieJar(self.calendar)
            let own = try Peer.url("http://www.own.example/")
            for number in 0..<20 { try jar.receive("n\(number)=v", from: own) }
            for number in 0..<(factor * 370) {
                try jar.receive("n=v", from: try Peer.url("http://h\(number).example/"))
            }
            let request = CookieRequest(try RequestTarget(own), jar.options)
            return {
                for _ in 0..<200 { _ = jar.field(for: request) }
            }
        }
        // Eight times as many cookies of other hosts: the same time, but for noise.
        #expect(seconds[3] / seconds[0] < 3, "\(seconds)")
    }

    @Test func `long fields are read in proportion to their length`() throws {
        for piece in [";", "=", " ", "; Path=/", "; Expires=1 1 1", ",", "a=b;", "Expires="] {
            let seconds = try Scaling.seconds { factor in
                let field = Array(("n=v; Expires=" + String(repeating: piece, count: factor * 2000)).utf8)
                let options = CookieJar.Options()
                return { _ = try? SetCookie(field, options) }
            }
            #expect(seconds[3] / seconds[0] < Scaling.largestGrowth, "\(piece): \(seconds)")
        }
    }

    @Test func `a host of many labels is no burden`() throws {
        let jar = CookieJar(self.calendar)
        try jar.take("n=v", "http://h.example/")
        let host = String(repeating: "a.", count: 123) + "example"
        #expect(try jar.field("http://\(host)/") == nil)
        #expect(try jar.take("n=v; Domain=example", "http://\(host)/") == .publicSuffix)
    }

    // MARK: Threads

    @Test func `a jar may be used from many tasks at once`() async throws {
        let jar = CookieJar(self.calendar)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        _ = try? jar.take("n\(number % 40)=\(task)", "http://h\(task % 3).example/")
                        _ = try? jar.field("http://h\(number % 3).example/")
                        if number % 50 == 0 { jar.removeAll { $0.name == "n1" } }
                    }
                }
            }
        }
        #expect(jar.cookies.count <= 120)
        #expect(Set(jar.cookies.map(\.identity)).count == jar.cookies.count)
    }
}
