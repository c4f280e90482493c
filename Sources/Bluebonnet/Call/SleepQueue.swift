// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// The tasks of the process that wait for moments of the system's clock.
///
/// A cancelled wait leaves nothing behind. After a cancelled `Task.sleep` its timer stays with libdispatch until the
/// moment has come, with about 700 bytes. A call with a total limit waits for it beside each interceptor, and nearly always
/// ends long before: a busy program would keep a timer for each call that it made within the limit. Here the waits share
/// a timer, which is set for the earliest of them.
final class SleepQueue: Sendable {
    /// The queue of the process.
    static let shared = SleepQueue()

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private let state = Mutex(SleepSchedule<Continuation>())
    private let lastID = Atomic<UInt64>(0)

    /// The number of tasks that wait.
    var count: Int { self.state.withLock { $0.count } }

    /// Waits until a moment.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until deadline: SessionClock.Instant) async throws {
        guard deadline > .now else {
            await Task.yield()
            return try Task.checkCancellation()
        }
        let id = self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, alarm) = self.state.withLock { state -> (Bool, SessionClock.Instant?) in
                    // Checked inside the lock: a later cancellation finds the wait.
                    if Task.isCancelled { return (true, nil) }
                    return (false, state.add(continuation, id, until: deadline))
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                if let alarm { self.setAlarm(for: alarm) }
            }
        } onCancel: {
            self.state.withLock { $0.remove(id) }?.resume(throwing: CancellationError())
        }
    }

    private func setAlarm(for moment: SessionClock.Instant) {
        // Nobody owns this task, which ends at the moment. It belongs to all waits: their tasks' values and priorities
        // are not its own.
        Task.detached(priority: .high) {
            try? await Task.sleep(for: SessionClock.Instant.now.duration(to: moment), clock: .continuous)
            self.wake(by: moment)
        }
    }

    private func wake(by alarm: SessionClock.Instant) {
        let (due, next) = self.state.withLock { $0.wake(by: alarm, at: .now) }
        // First, so that those who wait cannot delay it.
        if let next { self.setAlarm(for: next) }
        for waiter in due { waiter.resume() }
    }
}
