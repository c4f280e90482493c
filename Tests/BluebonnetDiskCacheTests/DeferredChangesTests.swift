// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Testing

@testable import BluebonnetDiskCache

/// The changes that a store on disk makes later.
@Suite(.bug(id: "F451")) struct DeferredChangesTests {
    private static func key(_ number: Int) -> CacheKey { CacheKey(text: "http://h/\(number)") }

    @Test func `giving up forgets everything but what must not be reused`() {
        var changes = DeferredChanges()
        changes.append(.makeRoom(at: 1))
        changes.invalidate(Self.key(1), at: 1)
        changes.append(.makeRoom(at: 2))
        changes.keepInvalidations()
        let count = changes.takeAll().count
        #expect(count == 1)
        changes.invalidate(Self.key(1), at: 1)
        #expect(changes.invalidates(Self.key(1)) && !changes.invalidates(Self.key(2)))
    }

    @Test func `the list stays short however many URLs are invalidated`() {
        var changes = DeferredChanges()
        for number in 0..<DeferredChanges.largestInvalidationCount {
            for _ in 0..<2 { changes.invalidate(Self.key(number), at: 1) }
        }
        #expect(!changes.invalidates(Self.key(-1)))
        for number in 0..<5000 { changes.invalidate(Self.key(number), at: 1) }
        #expect(changes.invalidates(Self.key(-1)) && changes.invalidates(Self.key(0)))
        let count = changes.takeAll().count
        #expect(count == 1)
    }

    @Test func `changes that could not be made come before later ones`() {
        var changes = DeferredChanges()
        changes.invalidate(Self.key(1), at: 1)
        let taken = changes.takeAll()
        changes.invalidate(Self.key(2), at: 2)
        changes.putBack(Array(taken))
        let order = changes.takeAll().compactMap { change -> Int64? in
            guard case .invalidate(_, let time) = change else { return nil }
            return time
        }
        #expect(order == [1, 2])
    }

    @Test func `one task tries invalidations again, until none is left`() {
        var changes = DeferredChanges()
        let isEmptyRetried = changes.beginRetrying()
        changes.invalidate(Self.key(1), at: 1)
        let first = changes.beginRetrying()
        let second = changes.beginRetrying()
        let isOver = changes.endRetrying()
        #expect([isEmptyRetried, first, second, isOver] == [false, true, false, false])
        _ = changes.takeAll()
        let isOverAtLast = changes.endRetrying()
        changes.invalidate(Self.key(2), at: 1)
        let again = changes.beginRetrying()
        #expect(isOverAtLast && again)
    }
}
