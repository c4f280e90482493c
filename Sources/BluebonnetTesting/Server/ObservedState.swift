// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// A value behind a lock that tasks can wait on: each waiter's condition is evaluated after every change, and the
/// waiter is resumed once it holds.
///
/// Waiters are evaluated in the order of their arrival. Their conditions run under the lock; they are resumed after it
/// is released.
final class ObservedState<State: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let id: UInt64
        let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        let fail: @Sendable (any Error) -> Void
    }

    private struct Guarded: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var nextID: UInt64 = 0
    }

    private let guarded: Mutex<Guarded>
    private let eventLoop: any EventLoop

    /// Creates an observed value; the event loop measures the deadlines.
    init(_ state: State, eventLoop: any EventLoop) {
        self.guarded = Mutex(Guarded(state: state))
        self.eventLoop = eventLoop
    }

    /// Reads the value.
    func read<Result>(_ body: (State) -> sending Result) -> sending Result {
        self.guarded.withLock { body($0.state) }
    }

    /// Changes the value and resumes the waiters whose conditions hold.
    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakeUps) = self.guarded.withLock { guarded in
            let result = body(&guarded.state)
            var wakeUps: [@Sendable () -> Void] = []
            if !guarded.waiters.isEmpty {
                var waiting: [Waiter] = []
                for waiter in guarded.waiters {
                    if let wakeUp = waiter.attempt(&guarded.state) {
                        wakeUps.append(wakeUp)
                    } else {
                        waiting.append(waiter)
                    }
                }
                guarded.waiters = waiting
            }
            return (result, wakeUps)
        }
        for wakeUp in wakeUps { wakeUp() }
        return result
    }

    /// Waits until an attempt returns a value; the attempt may change the state, for example to remove something from
    /// it.
    ///
    /// - Throws: ``TestServerError/Code/timedOut`` past the deadline; `CancellationError` when the task is cancelled.
    func wait<Value: Sendable>(
        for what: String,
        within limit: Duration,
        _ attempt: @escaping @Sendable (inout State) -> Value?
    ) async throws -> Value {
        let id = self.guarded.withLock { guarded in
            guarded.nextID += 1
            return guarded.nextID
        }
        let deadline = Mutex<Scheduled<Void>?>(nil)
        defer { deadline.withLock { $0 }?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.add(id, attempt, continuation)
                // Scheduled only now, so that a deadline always finds its waiter, however short it is.
                let timer = self.eventLoop.scheduleTask(in: TimeAmount(limit)) {
                    self.fail(
                        id,
                        with: TestServerError(.timedOut, reason: "waited \(limit) for \(what), which did not come")
                    )
                }
                deadline.withLock { $0 = timer }
            }
        } onCancel: {
            self.fail(id, with: CancellationError())
        }
    }

    private func add<Value: Sendable>(
        _ id: UInt64,
        _ attempt: @escaping @Sendable (inout State) -> Value?,
        _ continuation: CheckedContinuation<Value, any Error>
    ) {
        let waiter = Waiter(
            id: id,
            attempt: { state in
                guard let value = attempt(&state) else { return nil }
                return { continuation.resume(returning: value) }
            },
            fail: { continuation.resume(throwing: $0) }
        )
        let wakeUp: (@Sendable () -> Void)? = self.guarded.withLock { guarded in
            // A cancellation before this line finds no waiter to fail, so the flag is checked under the same lock.
            if Task.isCancelled { return { waiter.fail(CancellationError()) } }
            if let wakeUp = waiter.attempt(&guarded.state) { return wakeUp }
            guarded.waiters.append(waiter)
            return nil
        }
        wakeUp?()
    }

    private func fail(_ id: UInt64, with error: any Error) {
        let waiter = self.guarded.withLock { guarded in
            guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
        }
        waiter?.fail(error)
    }
}
