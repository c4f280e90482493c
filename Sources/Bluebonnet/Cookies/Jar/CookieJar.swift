// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The cookies of one or several sessions, by the rules of RFC 6265bis.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.cookies = CookieJar()
/// ```
///
/// A session with a jar sends the cookies that match each request, selected again on every hop of a redirect, and keeps
/// those that each response sets. A request with its own Cookie field keeps that field, and nothing is added.
/// `RequestOptions.handlesCookies`, set to false, keeps a request from sending and from setting cookies.
///
/// Cookies for public suffixes are refused (see ``PublicSuffixList``), secure ones are neither set nor replaced over
/// plain http, and limits keep servers from growing the jar: see ``Options``. A jar is in memory; with a
/// ``CookieStore``, for example a ``FileCookieStore``, its cookies outlive the process.
///
/// A jar may be used from any thread. The program can read every cookie, including those with HttpOnly.
public final class CookieJar: Sendable {
    /// The rules that the jar was made with.
    public let options: Options

    private struct State {
        var table = CookieTable()
        /// The changes that the store has not accepted yet, in their order.
        var unsaved: [CookieChange] = []
        var storeError: (any Error)?
    }

    private let store: (any CookieStore)?
    /// Where the store is told of the cookies of responses; nil without a store.
    let storeQueue: BlockingQueue?
    private let state = Mutex(State())
    private let now: @Sendable () -> Date

    /// Creates a jar.
    ///
    /// - Parameters:
    ///   - store: Keeps the cookies beyond the life of the jar; none by default.
    ///   - options: The rules and limits.
    public convenience init(store: (any CookieStore)? = nil, options: Options = Options()) {
        self.init(store: store, options: options) { Date.now }
    }

    /// Creates a jar with a test's clock.
    package init(store: (any CookieStore)? = nil, options: Options = Options(), now: @escaping @Sendable () -> Date) {
        self.store = store
        self.storeQueue = store.map { _ in BlockingQueue() }
        self.options = options
        self.now = now
    }

    /// The error of the store's last use, or of the last change that it did not accept; nil if it has every change.
    ///
    /// A store that fails never fails a request: the jar continues in memory, and saves the missed changes as soon as
    /// it can.
    public var storeError: (any Error)? { self.state.withLock { $0.storeError } }

    /// Whether reading and changing the cookies may wait for a disk or for another process.
    var isBlocking: Bool { self.store != nil }

    /// Whether no cookie is in memory.
    var isEmpty: Bool { self.state.withLock { $0.table.count == 0 } }

    // MARK: The cookies and the store

    /// Reads the cookies, after asking the store for changes.
    func read<Result>(_ body: (inout CookieTable) -> Result) -> Result {
        let time = self.now()
        if let store {
            self.note(Swift.Result { try store.refresh { update in self.transact(at: time, after: update) { _ in } } })
        }
        return self.state.withLock { state in
            state.table.removeExpired(at: time)
            return body(&state.table)
        }
    }

    /// Changes the cookies in the jar and in the store.
    func change(_ body: (inout CookieTransaction) -> Void) {
        let time = self.now()
        guard let store else { return self.transact(at: time, body) }
        var given: [CookieChange]?
        let outcome = Result {
            try store.update { update in
                self.transact(at: time, after: update, body)
                let changes = self.state.withLock { state in
                    defer { state.unsaved = [] }
                    return state.unsaved
                }
                given = changes
                return changes
            }
        }
        if given == nil { self.transact(at: time, body) }
        if case .failure = outcome, let given { self.keep(given) }
        self.note(outcome)
    }

    private func transact(
        at time: Date,
        after update: CookieStoreUpdate = .none,
        _ body: (inout CookieTransaction) -> Void
    ) {
        self.state.withLock { state in
            var table = CookieTable()
            swap(&table, &state.table)
            var transaction = CookieTransaction(consume table, at: time)
            transaction.apply(update, then: state.unsaved)
            body(&transaction)
            transaction.enforce(self.options)
            state.table = transaction.table
            guard self.store != nil else { return }
            state.unsaved += transaction.changes
            state.unsaved.limitUnsaved(toCookies: self.options.cookieCount, of: state.table)
        }
    }

    /// Keeps changes that the store did not accept for the next time.
    private func keep(_ changes: [CookieChange]) {
        self.state.withLock { state in
            state.unsaved.insert(contentsOf: changes, at: 0)
            // The store gets all of them again with the next change: a cookie that each response sets must not add to them.
            state.unsaved.keepNewest(ofCookies: self.options.cookieCount, of: state.table)
        }
    }

    private func note(_ outcome: Result<Void, any Error>) {
        self.state.withLock { state in
            switch outcome {
            // Reading may succeed while nothing can be written.
            case .success: if state.unsaved.isEmpty { state.storeError = nil }
            case .failure(let error): state.storeError = error
            }
        }
    }

    /// Synchronizes the jar with its store, blocking the thread.
    ///
    /// - Throws: The error of the store; see ``storeError``.
    public func synchronize() throws {
        self.change { _ in }
        if let error = self.storeError { throw error }
    }
}

extension CookieChange {
    /// The cookie that was set or removed.
    var cookie: Cookie {
        switch self {
        case .set(let cookie), .removed(let cookie): cookie
        }
    }
}
