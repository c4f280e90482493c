// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Finds out how long the tasks of a program stand still, because code blocks the threads that they run on.
public enum Ticker {
    /// Does something while another task ticks a hundred times a second.
    ///
    /// - Parameter work: What is done.
    /// - Returns: Its result, and the longest pause between two ticks.
    /// - Throws: What the work throws.
    public static func longestPause<Result: Sendable>(
        during work: @Sendable () async throws -> Result
    ) async throws -> (result: Result, pause: Duration) {
        let ticks = Task.detached {
            var (longest, last) = (Duration.zero, ContinuousClock.now)
            while !Task.isCancelled {
                try? await ContinuousClock().sleep(for: .milliseconds(10))
                let now = ContinuousClock.now
                longest = max(longest, last.duration(to: now))
                last = now
            }
            return longest
        }
        defer { ticks.cancel() }
        let result = try await work()
        ticks.cancel()
        return (result, await ticks.value)
    }
}
