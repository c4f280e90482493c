// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension [CookieChange] {
    /// Bounds the changes that a store has not accepted yet, however long it fails.
    ///
    /// Of each cookie the newest change is kept. A change that has left no cookie in the jar, such as a removal, is kept
    /// only if it is one of the newest: a cookie whose removal is lost may return once the store can be read again.
    ///
    /// - Parameters:
    ///   - count: The largest number of cookies of the jar. At most about three times as many changes are kept, or 50 if
    ///     that is more.
    ///   - table: The cookies of the jar.
    /// - Complexity: Constant per change on average.
    mutating func limitUnsaved(toCookies count: Int, of table: borrowing CookieTable) {
        let bound = Swift.max(count, 16)
        guard self.count / 3 > bound else { return }
        var seen: Set<Cookie.Identity> = []
        var withoutCookie = 0
        var kept: [CookieChange] = []
        for change in self.reversed() where seen.insert(change.cookie.identity).inserted {
            if table.cookie(change.cookie.identity) == nil {
                withoutCookie += 1
                guard withoutCookie <= bound else { continue }
            }
            kept.append(change)
        }
        self = kept.reversed()
    }
}
