// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The state machine of a ``SessionTask``, which leaves every action to the task.
struct SessionTaskStateMachine<Output: Sendable>: ~Copyable {
    typealias Outcome = Result<Output, any Error>
    typealias Continuation = CheckedContinuation<Output, any Error>

    enum ResumeAction {
        case start
        case proceed(revision: UInt64)
    }

    enum CancelAction {
        case cancel(Task<Void, Never>)
        case complete(Completion)
    }

    /// The outcome, and its recipients.
    struct Completion {
        var outcome: Outcome
        var waiters: [Continuation]
        var callbacks: [@Sendable (Outcome) -> Void]
    }

    private enum State {
        case initial
        /// The Swift task is nil between the decision to start it and its start.
        case running(Task<Void, Never>?, isSuspended: Bool)
        case cancelling
        case completed(Outcome)
    }

    private var state = State.initial
    private var waiters: [UInt64: Continuation] = [:]
    private var callbacks: [@Sendable (Outcome) -> Void] = []
    private var lastWaiterID: UInt64 = 0
    /// The number of the last change between suspended and running, which is carried out after the lock was released.
    private var revision: UInt64 = 0

    var publicState: SessionTaskState {
        switch self.state {
        case .initial, .running(_, isSuspended: true): .suspended
        case .running(_, isSuspended: false): .running
        case .cancelling: .cancelling
        case .completed: .completed
        }
    }

    mutating func resume() -> ResumeAction? {
        switch self.state {
        case .initial:
            self.state = .running(nil, isSuspended: false)
            return .start
        case .running(let task, isSuspended: true):
            self.state = .running(task, isSuspended: false)
            self.revision += 1
            return .proceed(revision: self.revision)
        case .running(_, isSuspended: false), .cancelling, .completed:
            return nil
        }
    }

    /// Suspends a running task.
    ///
    /// - Returns: The number of the change; nil if there is nothing to do.
    mutating func suspend() -> UInt64? {
        guard case .running(let task, isSuspended: false) = self.state else { return nil }
        self.state = .running(task, isSuspended: true)
        self.revision += 1
        return self.revision
    }

    mutating func cancel() -> CancelAction? {
        switch self.state {
        case .initial:
            return self.complete(.failure(CancellationError())).map { .complete($0) }
        case .running(let task, _):
            self.state = .cancelling
            // Without a Swift task yet, `started` will report the cancellation.
            return task.map { .cancel($0) }
        case .cancelling, .completed:
            return nil
        }
    }

    /// Stores the Swift task that runs the operation.
    ///
    /// - Returns: Whether it was cancelled before this call.
    mutating func started(_ task: Task<Void, Never>) -> Bool {
        switch self.state {
        case .running(_, let isSuspended):
            self.state = .running(task, isSuspended: isSuspended)
            return false
        case .cancelling: return true
        case .initial, .completed: return false
        }
    }

    mutating func complete(_ outcome: Outcome) -> Completion? {
        if case .completed = self.state { return nil }
        self.state = .completed(outcome)
        defer {
            self.waiters = [:]
            self.callbacks = []
        }
        return Completion(outcome: outcome, waiters: Array(self.waiters.values), callbacks: self.callbacks)
    }

    /// The outcome; nil before the end.
    var outcome: Outcome? {
        if case .completed(let outcome) = self.state { outcome } else { nil }
    }

    mutating func makeWaiterID() -> UInt64 {
        self.lastWaiterID += 1
        return self.lastWaiterID
    }

    /// Stores a waiter, unless there is an outcome.
    mutating func wait(_ id: UInt64, _ continuation: Continuation) -> Outcome? {
        if let outcome { return outcome }
        self.waiters[id] = continuation
        return nil
    }

    mutating func stopWaiting(_ id: UInt64) -> Continuation? {
        self.waiters.removeValue(forKey: id)
    }

    /// Stores a callback, unless there is an outcome.
    mutating func notify(_ body: @escaping @Sendable (Outcome) -> Void) -> Outcome? {
        if let outcome { return outcome }
        self.callbacks.append(body)
        return nil
    }
}
