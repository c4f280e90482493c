// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Two threads that do something at the same moment, again and again.
///
/// They are threads of their own, so that two that wait for each other for ever do not take the threads of Swift's tasks, and the
/// test can still fail.
public enum ThreadRace {
    /// Runs the rounds.
    ///
    /// - Parameters:
    ///   - rounds: Their number.
    ///   - limit: How long all of them may take.
    ///   - makeRound: Prepares the round of a number, and returns what its threads do.
    /// - Returns: Whether both threads came to their end.
    public static func ends(
        rounds: Int,
        within limit: Duration = .seconds(30),
        _ makeRound: @Sendable (Int) async -> (@Sendable () -> Void, @Sendable () -> Void)
    ) async -> Bool {
        let deadline = ContinuousClock.now + limit
        for round in 0..<rounds {
            let (first, second) = await makeRound(round)
            let gate = Gate()
            for action in [first, second] {
                Thread.detachNewThread {
                    gate.arrive()
                    action()
                    gate.leave()
                }
            }
            while !gate.isEmpty {
                guard ContinuousClock.now < deadline else { return false }
                await Task.yield()
            }
        }
        return true
    }

    private final class Gate: Sendable {
        private let arrived = Atomic(0)
        private let left = Atomic(0)

        var isEmpty: Bool { self.left.load(ordering: .acquiring) == 2 }

        /// Returns when both threads are here, to within some nanoseconds.
        func arrive() {
            self.arrived.add(1, ordering: .acquiringAndReleasing)
            while self.arrived.load(ordering: .acquiring) < 2 {}
        }

        func leave() { self.left.add(1, ordering: .releasing) }
    }
}
