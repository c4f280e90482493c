// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Runs a check within its time limit, even if it waits for something that never happens.
enum ConformanceRace {
    /// Runs some work.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - release: Called when the limit is exceeded, to end what the work waits for.
    ///   - work: The work.
    /// - Returns: Its outcome; nil if it exceeded the limit, or if the task was cancelled.
    static func run(
        within limit: Duration,
        release: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () async throws -> Void
    ) async -> Result<Void, any Error>? {
        let (outcomes, outcome) = AsyncStream<Result<Void, any Error>?>.makeStream()
        // A transport that ignores cancellation would block a structured task, and the test with it, forever.
        let worker = Task {
            do {
                try await work()
                outcome.yield(.success(()))
            } catch {
                outcome.yield(.failure(error))
            }
        }
        // Ends with the race, below.
        let watch = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            outcome.yield(nil)
            release()
        }
        defer {
            worker.cancel()
            watch.cancel()
        }
        for await first in outcomes { return first }
        return nil
    }
}
