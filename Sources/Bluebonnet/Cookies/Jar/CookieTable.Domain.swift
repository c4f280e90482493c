// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension CookieTable {
    /// The cookies of one domain, in no particular order, found by their identities.
    ///
    /// The limit for a domain is enforced at the end of a transaction, which may set any number of its cookies before.
    /// So the time to set or remove one must not depend on their number.
    struct Domain {
        private(set) var entries: [Entry]
        /// The position of each entry.
        private var positions: [Cookie.Identity: Int] = [:]

        /// Creates a domain with cookies of different identities.
        init(_ entries: [Entry] = []) {
            self.entries = entries
            for (position, entry) in entries.enumerated() { self.positions[entry.cookie.identity] = position }
        }

        /// The entry of the cookie with an identity.
        func entry(_ identity: Cookie.Identity) -> Entry? { self.positions[identity].map { self.entries[$0] } }

        /// Adds an entry; the domain must not have a cookie with its identity.
        mutating func append(_ entry: Entry) {
            self.positions[entry.cookie.identity] = self.entries.count
            self.entries.append(entry)
        }

        /// Removes the entry of the cookie with an identity; the last entry takes its position.
        mutating func remove(_ identity: Cookie.Identity) -> Entry? {
            guard let position = self.positions.removeValue(forKey: identity) else { return nil }
            let removed = self.entries[position]
            let last = self.entries.removeLast()
            if position < self.entries.count {
                self.entries[position] = last
                self.positions[last.cookie.identity] = position
            }
            return removed
        }

        /// Records a use of the cookie at a position.
        mutating func use(_ position: Int, at sequence: UInt64) { self.entries[position].lastUse = sequence }

        /// The entries that a function selects, and the others; the function is called once for each entry.
        func divided(by isChosen: (Entry) -> Bool) -> (chosen: [Entry], kept: [Entry]) {
            var (chosen, kept): ([Entry], [Entry]) = ([], [])
            for entry in self.entries {
                if isChosen(entry) { chosen.append(entry) } else { kept.append(entry) }
            }
            return (chosen, kept)
        }
    }
}
