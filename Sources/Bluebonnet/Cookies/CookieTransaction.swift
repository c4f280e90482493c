// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A change to the cookies of a jar that happens as one: cookies set and removed, then the limits.
struct CookieTransaction {
    private(set) var table: CookieTable
    let time: Date

    /// What the store has to know, in its order.
    private(set) var changes: [CookieChange] = []

    private var touched: Set<String> = []

    init(_ table: consuming CookieTable, at time: Date) {
        self.table = table
        self.time = time
        self.table.removeExpired(at: time)
    }

    /// Sets a cookie; one that has ended already removes the one with its identity.
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

    /// Removes the cookies that a function chooses.
    mutating func removeAll(where isChosen: (Cookie) -> Bool) {
        for cookie in self.table.removeAll(where: { isChosen($0.cookie) }) where cookie.expires != nil {
            self.changes.append(.removed(cookie))
        }
    }

    /// Takes over what others have changed in the store.
    ///
    /// Cookies that end with the session are the jar's own: nobody else removes them.
    ///
    /// - Parameters:
    ///   - update: The changes of others.
    ///   - unsaved: The jar's changes that the store has not seen; they come after those of others, as they will in the store.
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

    /// Removes what is beyond the limits, at the end.
    mutating func enforce(_ options: CookieJar.Options) {
        for cookie in self.table.removeExcess(options, in: self.touched) where cookie.expires != nil {
            self.changes.append(.removed(cookie))
        }
    }
}
