// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension [CookieChange] {
    /// Bounds the changes that a store has not accepted yet, however long it fails.
    ///
    /// - Parameters:
    ///   - count: The largest number of cookies of the jar. At most about three times as many changes are kept, or 50 if
    ///     that is more.
    ///   - table: The cookies of the jar.
    /// - Complexity: Constant per change on average.
    mutating func limitUnsaved(toCookies count: Int, of table: borrowing CookieTable) {
        guard self.count / 3 > Swift.max(count, 16) else { return }
        self.keepNewest(ofCookies: count, of: table)
    }

    /// Keeps the newest change of each cookie.
    ///
    /// A change that has left no cookie in the jar, such as a removal, is kept only if it is one of the newest: a cookie
    /// whose removal is lost may return once the store can be read again.
    ///
    /// - Parameters:
    ///   - count: The largest number of cookies of the jar. As many changes without a cookie are kept, or 16 if that is
    ///     more.
    ///   - table: The cookies of the jar.
    /// - Complexity: O(*n*) in the number of changes.
    mutating func keepNewest(ofCookies count: Int, of table: borrowing CookieTable) {
        let bound = Swift.max(count, 16)
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
