// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import Testing

@testable import Bluebonnet

/// What a jar keeps for a store that fails for a long time.
@Suite struct UnsavedCookieTests {
    enum Failure: CaseIterable, Sendable { case beforeReading, afterReading }

    /// A store that accepts nothing until it works, and keeps what it accepts in memory.
    private final class FailingStore: CookieStore {
        struct Unavailable: Error {}

        struct State {
            var failure: Failure?
            var changes: [CookieChange] = []
            /// The largest number of changes that it was given at once.
            var largestCount = 0
        }

        let state: Mutex<State>

        init(_ failure: Failure) {
            self.state = Mutex(State(failure: failure))
        }

        var changes: [CookieChange] { self.state.withLock { $0.changes } }

        /// The names of the cookies that result from the changes.
        var names: Set<String> {
            self.changes.reduce(into: []) { names, change in
                switch change {
                case .set(let cookie): names.insert(cookie.name)
                case .removed(let cookie): names.remove(cookie.name)
                }
            }
        }

        func refresh(_ apply: (CookieStoreUpdate) -> Void) throws {}

        func update(_ change: (CookieStoreUpdate) -> [CookieChange]) throws {
            let failure = self.state.withLock { $0.failure }
            if failure == .beforeReading { throw Unavailable() }
            let changes = change(.none)
            self.state.withLock { $0.largestCount = max($0.largestCount, changes.count) }
            if failure == .afterReading { throw Unavailable() }
            self.state.withLock { $0.changes += changes }
        }
    }

    private let calendar = TestCalendar()

    @Test(.bug(id: "F677"), arguments: Failure.allCases, [1, 500])
    func `the changes that a failing store has missed are limited`(_ failure: Failure, nameCount: Int) throws {
        let store = FailingStore(failure)
        let jar = CookieJar(self.calendar, store: store) { $0.cookieCount = 20 }
        for number in 0..<500 { try jar.take("n\(number % nameCount)=\(number); Max-Age=100", "http://h.example/") }
        store.state.withLock { $0.failure = nil }
        try jar.synchronize()
        #expect(store.changes.count <= 63)
        #expect(store.names == Set(jar.cookies.map(\.name)))
        #expect(store.names.count == min(nameCount, 20))
    }

    @Test(.bug(id: "F933"), arguments: [1, 7])
    func `a failing store is given the newest change of each cookie, and no others`(nameCount: Int) throws {
        let store = FailingStore(.afterReading)
        let jar = CookieJar(self.calendar, store: store) { $0.cookieCount = 20 }
        for number in 0..<50 { try jar.take("n\(number % nameCount)=\(number); Max-Age=100", "http://h.example/") }
        // That of the last response comes on top.
        #expect(store.state.withLock { $0.largestCount } == nameCount + 1)
        store.state.withLock { $0.failure = nil }
        try jar.synchronize()
        #expect(Set(jar.cookies.map(\.value)) == Set((50 - nameCount..<50).map { "\($0)" }))
        #expect(store.changes.count == nameCount)
    }

    @Test(.bug(id: "F677"), arguments: Failure.allCases)
    func `a cookie that is removed while the store fails is removed from it later`(_ failure: Failure) throws {
        let store = FailingStore(failure)
        store.state.withLock { $0.failure = nil }
        let jar = CookieJar(self.calendar, store: store) { $0.cookieCount = 20 }
        try jar.take("old=1; Max-Age=100", "http://h.example/")
        store.state.withLock { $0.failure = failure }
        try jar.take("old=; Max-Age=0", "http://h.example/")
        for number in 0..<500 { try jar.take("n=\(number); Max-Age=100", "http://h.example/") }
        store.state.withLock { $0.failure = nil }
        try jar.synchronize()
        #expect(store.names == ["n"])
    }
}
