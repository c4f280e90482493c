// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Synchronization

/// Repeats operations while another process holds the database.
///
/// SQLite itself does not wait: it would block a thread, and the lock of the connection with it.
final class BusyDatabase: Sendable {
    private let patience: Mutex<SharedPatience>

    /// - Parameter limit: How long operations wait, all of them together.
    init(limit: Duration = SharedPatience.usual) {
        self.patience = Mutex(SharedPatience(limit: limit))
    }

    /// Performs an operation, again and again while the database is busy.
    ///
    /// - Parameters:
    ///   - limit: How long this operation may wait; nil if only the patience with the other process limits it.
    ///   - body: The operation, which changes nothing if it finds the database busy.
    /// - Returns: Its result.
    /// - Throws: ``DiskCacheError``; `CancellationError` if the task is cancelled during the wait.
    func perform<Result>(
        upTo limit: Duration?,
        _ body: () throws -> Result
    ) async throws -> Result {
        var ownEnd: ContinuousClock.Instant?
        var pause = 1
        while true {
            do {
                let result = try body()
                self.patience.withLock { $0.reset() }
                return result
            } catch let error as DiskCacheError where error.isBusy {
                let now = ContinuousClock.now
                if ownEnd == nil { ownEnd = limit.map { now + $0 } }
                let end = self.patience.withLock { $0.end(at: now) }
                guard now < min(end, ownEnd ?? end) else { throw error }
            }
            try await Task.sleep(for: .milliseconds(pause))
            // SQLite does not report that the database is free.
            pause = min(pause * 2, 16)
        }
    }
}
