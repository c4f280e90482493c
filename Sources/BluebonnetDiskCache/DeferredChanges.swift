// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// The changes that a store makes before any other operation, in their order.
///
/// What a change invalidates counts as removed at once, because it must not be reused, whatever another process does.
struct DeferredChanges: Sendable {
    /// The number of URLs beyond which everything counts as invalidated, so that the list cannot grow without end.
    static let largestInvalidationCount = 1000

    private var changes: [DeferredChange] = []
    private var isRetrying = false

    private var hasInvalidation: Bool { self.changes.contains(where: \.isInvalidation) }

    mutating func append(_ change: DeferredChange) {
        self.changes.append(change)
    }

    /// Adds the invalidation of a URL, unless there is one already: nothing of this store overtakes it.
    mutating func invalidate(_ key: CacheKey, at now: Int64) {
        guard !self.invalidates(key) else { return }
        self.changes.append(.invalidate(key, at: now))
        guard self.changes.count(where: \.isInvalidation) > Self.largestInvalidationCount else { return }
        self.changes = [.removeAll]
    }

    /// Whether the stored responses of a URL count as removed.
    func invalidates(_ key: CacheKey) -> Bool {
        self.changes.contains { $0.invalidates(key) }
    }

    /// Takes all changes, to make them.
    mutating func takeAll() -> ArraySlice<DeferredChange> {
        defer { self.changes = [] }
        return self.changes[...]
    }

    /// Puts those back that could not be made, before those that were added meanwhile.
    mutating func putBack(_ rest: [DeferredChange]) {
        self.changes.insert(contentsOf: rest, at: 0)
    }

    /// Forgets all changes but the invalidations.
    mutating func keepInvalidations() {
        self.changes.removeAll { !$0.isInvalidation }
    }

    /// Notes that the invalidations are tried again and again.
    ///
    /// - Returns: Whether there are any, and nobody tries them yet.
    mutating func beginRetrying() -> Bool {
        guard self.hasInvalidation, !self.isRetrying else { return false }
        self.isRetrying = true
        return true
    }

    /// Notes that trying is over if no invalidation is left.
    ///
    /// - Returns: Whether it is over.
    mutating func endRetrying() -> Bool {
        self.isRetrying = self.hasInvalidation
        return !self.isRetrying
    }
}
