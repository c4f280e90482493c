// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Wakes a queue when its next transfer may begin.
struct TransferAlarm: Sendable {
    private var due: SessionClock.Instant?
    private var task: Task<Void, Never>?

    /// Sets the time, which replaces the previous one.
    ///
    /// - Parameters:
    ///   - due: The time; nil for never. A time that is set already is kept.
    ///   - clock: The clock.
    ///   - wake: Called at that time.
    mutating func set(
        _ due: SessionClock.Instant?,
        _ clock: SessionClock,
        _ wake: @escaping @Sendable () async -> Void
    ) {
        guard due != self.due else { return }
        self.cancel()
        guard let due else { return }
        self.due = due
        // A clock may be early: the queue then sets the time again. The queue owns this task, and cancels it with the
        // next time and at its end.
        self.task = Task {
            guard (try? await clock.sleep(until: due)) != nil else { return }
            await wake()
        }
    }

    /// Cancels the alarm.
    mutating func cancel() {
        self.task?.cancel()
        (self.due, self.task) = (nil, nil)
    }
}
