// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An atomic change to the cookies of a jar: cookies are set and removed, then the limits are enforced.
struct CookieTransaction {
    private(set) var table: CookieTable
    let time: Date

    /// The changes for the store, in their order.
    private(set) var changes: [CookieChange] = []

    private var touched: Set<String> = []

    init(_ table: consuming CookieTable, at time: Date) {
        self.table = table
        self.time = time
        self.table.removeExpired(at: time)
    }

    /// Sets a cookie; an expired one removes the cookie with its identity.
    mutating func set(_ cookie: Cookie) {
        guard !cookie.isExpired(at: self.time) else { return self.remove(cookie.identity) }
        let old = self.table.insert(cookie)
        self.touched.insert(cookie.domain)
        if cookie.expires != nil {
            self.changes.append(.set(self.table.cookie(cookie.identity) ?? cookie))
        } else if let old, old.expires != nil {
            self.changes.append(.removed(old))
        }
    }

    /// Removes the cookie with an identity.
    mutating func remove(_ identity: Cookie.Identity) {
        guard let old = self.table.remove(identity)?.cookie, old.expires != nil else { return }
        self.changes.append(.removed(old))
    }

    /// Removes the cookies that a function selects.
    mutating func removeAll(where isChosen: (Cookie) -> Bool) {
        for cookie in self.table.removeAll(where: { isChosen($0.cookie) }) where cookie.expires != nil {
            self.changes.append(.removed(cookie))
        }
    }

    /// Applies the changes of others in the store.
    ///
    /// Session cookies belong to the jar: others cannot remove them.
    ///
    /// - Parameters:
    ///   - update: The changes of others.
    ///   - unsaved: The jar's changes that the store has not seen; they follow those of others, as in the store.
    mutating func apply(_ update: CookieStoreUpdate, then unsaved: [CookieChange]) {
        switch update {
        case .none: return
        case .changes(let changes):
            for change in changes { self.apply(change) }
        case .replaced(let cookies):
            let kept = Set(cookies.map(\.identity))
            self.table.removeAll { $0.cookie.expires != nil && !kept.contains($0.cookie.identity) }
            for cookie in cookies { self.apply(.set(cookie)) }
        }
        for change in unsaved { self.apply(change) }
    }

    private mutating func apply(_ change: CookieChange) {
        switch change {
        case .removed(let cookie):
            if self.table.cookie(cookie.identity)?.expires != nil { self.table.remove(cookie.identity) }
        case .set(let cookie) where cookie.isExpired(at: self.time):
            self.apply(.removed(cookie))
        case .set(let cookie):
            guard self.table.cookie(cookie.identity) != cookie else { return }
            self.table.insert(cookie)
            self.touched.insert(cookie.domain)
        }
    }

    /// Removes the cookies beyond the limits, at the end.
    mutating func enforce(_ options: CookieJar.Options) {
        for cookie in self.table.removeExcess(options, in: self.touched) where cookie.expires != nil {
            self.changes.append(.removed(cookie))
        }
    }
}
