// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Runs a check no longer than its time limit, even if what it waits for never ends.
enum ConformanceRace {
    /// Runs some work.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - release: Called past the limit, to end what the work waits for.
    ///   - work: What to do.
    /// - Returns: Its outcome; nil if it took too long, or if the task was cancelled.
    static func run(
        within limit: Duration,
        release: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () async throws -> Void
    ) async -> Result<Void, any Error>? {
        let (outcomes, outcome) = AsyncStream<Result<Void, any Error>?>.makeStream()
        // A transport that takes no notice of cancellation would keep a structured task, and the test with it, for ever.
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
