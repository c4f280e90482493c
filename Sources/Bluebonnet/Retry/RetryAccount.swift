// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The balance of a session's ``RetryBudget``: a token bucket that each call adds a part of a token to, and each
/// further attempt takes one from.
///
/// Deposits and withdrawals expire after ten seconds. They are counted by the second, in a ring.
final class RetryAccount: Sendable {
    private static let slotCount = 10

    /// The thousandths in a token, so that a share of it is a whole number.
    private static let token = 1_000

    private struct State {
        /// The deposits of each second, minus its withdrawals.
        var slots = [Int](repeating: 0, count: RetryAccount.slotCount)
        var current = 0
        var currentStart: SessionClock.Instant?

        /// Clears the seconds that have expired.
        mutating func turn(to now: SessionClock.Instant) {
            guard let start = self.currentStart else {
                self.currentStart = now
                return
            }
            let passed = Int(min(max(start.duration(to: now) / .seconds(1), 0), Double(self.slots.count)))
            for _ in 0..<passed {
                self.current = (self.current + 1) % self.slots.count
                self.slots[self.current] = 0
            }
            let isLong = passed == self.slots.count
            self.currentStart = isLong ? now : start.advanced(by: .seconds(passed))
        }
    }

    private let deposit: Int
    private let reserve: Int
    private let state = Mutex(State())

    init(_ budget: RetryBudget) {
        self.deposit = Int(budget.share * Double(Self.token))
        self.reserve = budget.minimumPerSecond * Self.slotCount * Self.token
    }

    /// Deposits the share of a call.
    func deposit(at now: SessionClock.Instant) {
        self.state.withLock { state in
            state.turn(to: now)
            state.slots[state.current] = min(state.slots[state.current] + self.deposit, Int.max / 32)
        }
    }

    /// Withdraws a token for a further attempt.
    ///
    /// - Returns: Whether there was a token left.
    func withdraw(at now: SessionClock.Instant) -> Bool {
        self.state.withLock { state in
            state.turn(to: now)
            guard state.slots.reduce(self.reserve, +) >= Self.token else { return false }
            state.slots[state.current] -= Self.token
            return true
        }
    }
}
