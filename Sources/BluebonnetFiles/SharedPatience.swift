// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How long the users of one store wait for another process, all of them together.
///
/// A process that is stopped while it writes holds its lock for as long as it is stopped. If each operation waited for it,
/// the waits would add up. So one wait begins with the first operation that finds the store busy: all operations that
/// come meanwhile wait until its end at the latest, and later ones fail at once, until one succeeds or some time has
/// passed.
package struct SharedPatience: Sendable {
    /// The usual length of a wait; a write takes a few milliseconds.
    package static let usual = Duration.milliseconds(500)

    /// How long after a wait nothing waits again.
    private static let pause = Duration.seconds(10)

    private let limit: Duration
    private var end: ContinuousClock.Instant?

    /// Creates the patience of a store.
    ///
    /// - Parameter limit: The length of a wait.
    package init(limit: Duration = Self.usual) {
        self.limit = limit
    }

    /// The end of the wait for an operation that has found the store busy; a wait begins if there is none.
    ///
    /// - Parameter now: The time.
    /// - Returns: A moment that may have passed.
    package mutating func end(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        if let end, now < end + Self.pause { return end }
        let end = now + self.limit
        self.end = end
        return end
    }

    /// An operation has succeeded.
    package mutating func reset() {
        self.end = nil
    }
}
