// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Waits for something that a fault may prevent for ever, so that a test fails instead of hanging.
public enum Patience {
    /// Waits until a condition holds.
    ///
    /// - Parameters:
    ///   - limit: How long at most.
    ///   - condition: The condition.
    /// - Returns: Whether it holds.
    public static func holds(
        within limit: Duration = .seconds(10),
        _ condition: () throws -> Bool
    ) async rethrows -> Bool {
        let deadline = ContinuousClock.now + limit
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    /// Does something in a task of its own, and waits until that has ended.
    ///
    /// - Parameters:
    ///   - limit: How long at most; then the task is left alone.
    ///   - work: What is done.
    /// - Returns: Whether it has ended.
    public static func ends(
        within limit: Duration = .seconds(10),
        _ work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let end = Flag()
        Task {
            await work()
            end.raise()
        }
        return await self.holds(within: limit) { end.isRaised }
    }
}
