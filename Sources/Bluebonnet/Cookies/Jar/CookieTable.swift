// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The cookies of a jar, by domain, so that a request checks only those of its host and its parent domains.
struct CookieTable {
    /// A cookie and its position among the others.
    struct Entry {
        var cookie: Cookie
        /// Grows with each new cookie; a cookie that replaces another keeps its number.
        var order: UInt64
        /// Grows with each use.
        var lastUse: UInt64
        /// When the cookie was set last.
        ///
        /// Of cookies with the same last use, the one that was set first is removed first.
        let lastChange: UInt64
    }

    private var domains: [String: Domain] = [:]

    /// The number of secure cookies of each name, for a quick check.
    private var secureNames: [[UInt8]: Int] = [:]

    /// The number of cookies.
    private(set) var count = 0

    /// The earliest expiry; it may be too early if that cookie was removed, but never too late.
    private var nextExpiry = Date.distantFuture

    private var sequence: UInt64 = 0

    /// A cookie that was among the least recently used ones.
    private struct Candidate {
        let identity: Cookie.Identity
        let lastUse: UInt64
        let lastChange: UInt64

        init(_ entry: Entry) {
            (self.identity, self.lastUse, self.lastChange) = (entry.cookie.identity, entry.lastUse, entry.lastChange)
        }
    }

    /// The least recently used cookies when they were last looked for, the one to be removed first at the end.
    ///
    /// Each use and each change makes a cookie the most recently used one, so those of them that are as they were then are
    /// still the least recently used.
    private var oldest: [Candidate] = []

    /// All cookies, in the order in which they were made.
    var cookies: [Cookie] { self.entries.sorted { $0.order < $1.order }.map(\.cookie) }

    /// All entries, in no particular order.
    private var entries: [Entry] { self.domains.values.flatMap(\.entries) }

    /// The cookie with an identity.
    func cookie(_ identity: Cookie.Identity) -> Cookie? { self.domains[identity.domain]?.entry(identity)?.cookie }

    // MARK: Matching

    /// The cookies for a request, longest path first, then the oldest (RFC 6265bis section 5.8.3).
    ///
    /// - Complexity: O(*n* log *n*) in the number of cookies of the host and the domains above it.
    mutating func match(_ request: CookieRequest, isUse: Bool) -> [Cookie] {
        guard self.count > 0 else { return [] }
        var found: [Entry] = []
        self.sequence &+= 1
        var domain = request.host[...]
        var isHost = true
        while true {
            self.match(String(domain), isHost, request, isUse, &found)
            isHost = false
            guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            domain = domain[domain.utf8.index(after: dot)...]
        }
        found.sort { left, right in
            let (leftCount, rightCount) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            return leftCount == rightCount ? left.order < right.order : leftCount > rightCount
        }
        return found.map(\.cookie)
    }

    private mutating func match(
        _ domain: String,
        _ isHost: Bool,
        _ request: CookieRequest,
        _ isUse: Bool,
        _ found: inout [Entry]
    ) {
        guard let index = self.domains.index(forKey: domain) else { return }
        // The parts of an address are not domains.
        guard isHost || CookieRequest.host(request.host, matches: domain) else { return }
        for position in self.domains.values[index].entries.indices {
            let cookie = self.domains.values[index].entries[position].cookie
            guard isHost || !cookie.isHostOnly, request.isSecure || !cookie.isSecure,
                request.admits(cookie.sameSite), CookieRequest.path(request.path, matches: cookie.path)
            else { continue }
            if isUse { self.domains.values[index].use(position, at: self.sequence) }
            found.append(self.domains.values[index].entries[position])
        }
    }

    /// Whether a cookie that came over plain http would take precedence over a secure one (RFC 6265bis section 5.7,
    /// step 16).
    func hidesSecureCookie(_ new: Cookie) -> Bool {
        guard self.secureNames[new.nameBytes] != nil else { return false }
        return self.domains.contains { name, domain in
            guard CookieRequest.host(name, matches: new.domain) || CookieRequest.host(new.domain, matches: name)
            else { return false }
            return domain.entries.contains {
                $0.cookie.isSecure && $0.cookie.nameBytes == new.nameBytes
                    && CookieRequest.path(new.path, matches: $0.cookie.path)
            }
        }
    }

    // MARK: Changing

    /// Replaces the cookie with the same identity, or adds one (steps 23 and 24).
    ///
    /// - Returns: The cookie that was replaced.
    /// - Complexity: Constant, whatever the number of cookies of the domain.
    @discardableResult
    mutating func insert(_ cookie: Cookie) -> Cookie? {
        self.sequence &+= 1
        let sequence = self.sequence
        var entry = Entry(cookie: cookie, order: sequence, lastUse: sequence, lastChange: sequence)
        let old = self.remove(cookie.identity)
        if let old {
            entry.order = old.order
            entry.cookie.created = old.cookie.created
        }
        self.domains[cookie.domain, default: Domain()].append(entry)
        self.count += 1
        if cookie.isSecure { self.secureNames[cookie.nameBytes, default: 0] += 1 }
        if let expires = cookie.expires { self.nextExpiry = min(self.nextExpiry, expires) }
        return old?.cookie
    }

    /// Removes the cookie with an identity.
    ///
    /// - Complexity: Constant, whatever the number of cookies of the domain.
    @discardableResult
    mutating func remove(_ identity: Cookie.Identity) -> Entry? {
        guard let entry = self.domains[identity.domain]?.remove(identity) else { return nil }
        if self.domains[identity.domain]?.entries.isEmpty == true { self.domains[identity.domain] = nil }
        self.forget(entry)
        return entry
    }

    /// Removes the cookies that a function selects.
    ///
    /// - Parameter isChosen: Called once for each cookie, because a function of the program may have state.
    /// - Returns: The cookies that were removed.
    @discardableResult
    mutating func removeAll(where isChosen: (Entry) -> Bool) -> [Cookie] {
        var removed: [Entry] = []
        for (name, domain) in self.domains {
            let (chosen, kept) = domain.divided(by: isChosen)
            guard !chosen.isEmpty else { continue }
            removed += chosen
            self.domains[name] = kept.isEmpty ? nil : Domain(kept)
        }
        for entry in removed { self.forget(entry) }
        return removed.map(\.cookie)
    }

    private mutating func forget(_ entry: Entry) {
        self.count -= 1
        guard entry.cookie.isSecure, let count = self.secureNames[entry.cookie.nameBytes] else { return }
        self.secureNames[entry.cookie.nameBytes] = count > 1 ? count - 1 : nil
    }

    // MARK: Limits

    /// Removes the expired cookies.
    mutating func removeExpired(at time: Date) {
        guard self.nextExpiry <= time else { return }
        self.removeAll { $0.cookie.isExpired(at: time) }
        self.nextExpiry = self.entries.compactMap(\.cookie.expires).min() ?? .distantFuture
    }

    /// Removes the cookies beyond the limits (RFC 6265bis section 5.7); expired ones have been removed already.
    ///
    /// - Returns: The cookies that were removed.
    mutating func removeExcess(_ options: CookieJar.Options, in touched: Set<String>) -> [Cookie] {
        var removed: [Cookie] = []
        for domain in touched {
            guard let entries = self.domains[domain]?.entries, entries.count > options.cookiesPerDomain else {
                continue
            }
            let order = entries.sorted {
                ($0.cookie.isSecure ? 1 : 0, $0.lastUse, $0.lastChange)
                    < ($1.cookie.isSecure ? 1 : 0, $1.lastUse, $1.lastChange)
            }
            for entry in order.prefix(entries.count - options.cookiesPerDomain) {
                if let entry = self.remove(entry.cookie.identity) { removed.append(entry.cookie) }
            }
        }
        while self.count > max(options.cookieCount, 0) {
            if self.oldest.isEmpty { self.findOldest(atLeast: self.count - options.cookieCount) }
            // One that was removed, set or used since then is not among the least recently used any more.
            guard let oldest = self.oldest.popLast(),
                let entry = self.domains[oldest.identity.domain]?.entry(oldest.identity),
                entry.lastUse == oldest.lastUse, entry.lastChange == oldest.lastChange
            else { continue }
            self.remove(oldest.identity)
            removed.append(entry.cookie)
        }
        return removed
    }

    /// Finds the cookies that are removed next.
    ///
    /// They are a tenth of all, so that a full table, to which each new cookie is one too many, is not sorted for each.
    private mutating func findOldest(atLeast count: Int) {
        let order = self.entries.sorted { ($0.lastUse, $0.lastChange) < ($1.lastUse, $1.lastChange) }
        self.oldest = order.prefix(max(count, self.count / 10)).reversed().map(Candidate.init)
    }
}
