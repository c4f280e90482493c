// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Many cookies of one domain, and the functions that select which of them are removed.
@Suite(.timeLimit(.minutes(1))) struct CookieTableTests {
    private let calendar = TestCalendar()
    private let folder: TemporaryDirectory

    init() throws { self.folder = try TemporaryDirectory() }

    private func cookie(
        _ name: String,
        _ value: String = "v",
        domain: String = "h.example",
        isSecure: Bool = false
    ) throws -> Cookie {
        try Cookie(name, value, domain: domain, expires: self.calendar.now + 1000, isSecure: isSecure)
    }

    @Test(.bug(id: "F236")) func `a function that selects the cookies to remove is called once for each`() throws {
        let jar = CookieJar(self.calendar)
        for number in 0..<10 { try jar.set(self.cookie("n\(number)", domain: "h\(number % 2).example")) }
        var callCount = 0
        jar.removeAll { _ in
            callCount += 1
            return callCount.isMultiple(of: 3)
        }
        #expect(callCount == 10)
        #expect(jar.cookies.count == 7)
        jar.removeAll()
        #expect(jar.isEmpty)
    }

    // MARK: Limits

    /// The rule in its plain form: a list that is searched for each change, and cut at the end of each transaction.
    private struct PlainTable {
        struct Entry {
            var cookie: Cookie
            var order: Int
            var lastUse: Int
        }

        var entries: [Entry] = []
        var sequence = 0

        var cookies: [Cookie] { self.entries.sorted { $0.order < $1.order }.map(\.cookie) }

        mutating func set(_ cookie: Cookie) {
            self.sequence += 1
            let order = self.remove(cookie.identity)?.order ?? self.sequence
            self.entries.append(Entry(cookie: cookie, order: order, lastUse: self.sequence))
        }

        @discardableResult
        mutating func remove(_ identity: Cookie.Identity) -> Entry? {
            self.entries.firstIndex { $0.cookie.identity == identity }.map { self.entries.remove(at: $0) }
        }

        mutating func use(_ domain: String) {
            self.sequence += 1
            for index in self.entries.indices where self.entries[index].cookie.domain == domain {
                self.entries[index].lastUse = self.sequence
            }
        }

        mutating func enforce(_ options: CookieJar.Options) {
            for domain in Set(self.entries.map(\.cookie.domain)) {
                let own = self.entries.filter { $0.cookie.domain == domain }
                let insecure = own.filter { !$0.cookie.isSecure }.sorted { $0.lastUse < $1.lastUse }
                let secure = own.filter(\.cookie.isSecure).sorted { $0.lastUse < $1.lastUse }
                self.removeAll((insecure + secure).prefix(max(own.count - options.cookiesPerDomain, 0)))
            }
            let order = self.entries.sorted { $0.lastUse < $1.lastUse }
            self.removeAll(order.prefix(max(order.count - options.cookieCount, 0)))
        }

        private mutating func removeAll(_ excess: ArraySlice<Entry>) {
            let orders = Set(excess.map(\.order))
            self.entries.removeAll { orders.contains($0.order) }
        }
    }

    @Test(.bug(id: "F237"), arguments: [1, 2, 3] as [UInt64])
    func `the limits remove the cookies that were not used for longest, in whatever order they are set`(
        _ seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var (table, plain) = (CookieTable(), PlainTable())
        var options = CookieJar.Options()
        options.cookiesPerDomain = 20
        options.cookieCount = 50
        for round in 0..<40 {
            var transaction = CookieTransaction(table, at: self.calendar.now)
            for _ in 0..<Int.random(in: 1...80, using: &generator) {
                let cookie = try self.cookie(
                    "n\(Int.random(in: 0..<60, using: &generator))",
                    "\(Int.random(in: 0..<1000, using: &generator))",
                    domain: "h\(Int.random(in: 0..<4, using: &generator)).example",
                    isSecure: Bool.random(using: &generator)
                )
                transaction.set(cookie)
                plain.set(cookie)
                guard Int.random(in: 0..<10, using: &generator) == 0 else { continue }
                transaction.remove(cookie.identity)
                plain.remove(cookie.identity)
            }
            transaction.enforce(options)
            plain.enforce(options)
            table = transaction.table
            let host = "h\(round % 4).example"
            let target = try RequestTarget(try Peer.url("https://\(host)/"))
            _ = table.match(CookieRequest(target, options), isUse: true)
            plain.use(host)
            let (found, expected) = (table.cookies, plain.cookies)
            #expect(found.map { "\($0) \($0.value)" } == expected.map { "\($0) \($0.value)" })
            #expect(table.count == found.count)
        }
    }

    // MARK: Time

    /// Where the cookies of one transaction come from.
    enum Source: CaseIterable, Sendable {
        case file, store
    }

    @Test(.bug(id: "F237"), arguments: Source.allCases)
    func `setting cookies of one domain takes time in proportion to their number`(_ source: Source) throws {
        let seconds = try Scaling.seconds { factor in
            let cookies = try (0..<(factor * 300)).map { try self.cookie("n\($0)") }
            switch source {
            case .file:
                let file = self.folder.file("\(factor).txt")
                try Data(NetscapeCookieFile.text(of: cookies).bytes).write(to: file)
                return { _ = try CookieJar(self.calendar).importCookies(from: file) }
            case .store:
                let store = ReplacedStore(cookies: cookies)
                return { _ = CookieJar(self.calendar, store: store).cookies }
            }
        }
        #expect(seconds[3] / seconds[0] < Scaling.largestGrowth, "\(seconds)")
    }

    @Test(.bug(id: "F735")) func `a full table takes new cookies in time in proportion to their number`() throws {
        let seconds = try Scaling.seconds { factor in
            let cookies = try (0..<(factor * 500)).map { try self.cookie("n", domain: "h\($0).example") }
            var options = CookieJar.Options()
            options.cookieCount = factor * 250
            return {
                var table = CookieTable()
                for cookie in cookies {
                    var transaction = CookieTransaction(consume table, at: self.calendar.now)
                    transaction.set(cookie)
                    transaction.enforce(options)
                    table = transaction.table
                }
                #expect(table.count == factor * 250)
            }
        }
        #expect(seconds[3] / seconds[0] < Scaling.largestGrowth, "\(seconds)")
    }

    @Test(.bug(id: "F237")) func `of the cookies of one domain in a file the last 50 are kept`() throws {
        let file = self.folder.file("cookies.txt")
        let cookies = try (0..<300).map { try self.cookie("n\($0)") }
        try Data(NetscapeCookieFile.text(of: cookies).bytes).write(to: file)
        let jar = CookieJar(self.calendar)
        #expect(try jar.importCookies(from: file) == 300)
        #expect(jar.cookies.map(\.name) == (250..<300).map { "n\($0)" })
    }
}

/// A store whose cookies have all been replaced by others.
private struct ReplacedStore: CookieStore {
    let cookies: [Cookie]

    func refresh(_ apply: (CookieStoreUpdate) -> Void) throws { apply(.replaced(self.cookies)) }

    func update(_ change: (CookieStoreUpdate) -> [CookieChange]) throws { _ = change(.replaced(self.cookies)) }
}
