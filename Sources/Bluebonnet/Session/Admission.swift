// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// Lets requests in, up to a limit; those beyond it wait in the order they came.
final class Admission: Sendable {
    /// A place inside; given back by ``release()``, at the latest when it is dropped.
    final class Permit: Sendable {
        private let admission: Admission
        private let isReleased = Atomic(false)

        fileprivate init(_ admission: Admission) {
            self.admission = admission
        }

        deinit { self.release() }

        func release() {
            if !self.isReleased.exchange(true, ordering: .acquiringAndReleasing) { self.admission.leave() }
        }
    }

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var isClosed = false
        var active = 0
        var nextID: UInt64 = 0
        /// In the order they came; ids ascend.
        var waiters: [(id: UInt64, continuation: Continuation)] = []

        mutating func remove(_ id: UInt64) -> Continuation? {
            guard let index = self.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return self.waiters.remove(at: index).continuation
        }
    }

    private let limit: Int?
    private let clock: any Clock<Duration>
    private let isClosed = Atomic(false)
    private let state = Mutex(State())

    init(limit: Int?, clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit.map { max($0, 1) }
        self.clock = clock
    }

    /// Waits for a place.
    ///
    /// - Parameter timeout: How long to wait at most, nil for no limit.
    /// - Returns: The place; nil where there is no limit and so nothing to give back.
    /// - Throws: `SessionError` when the time is up or the session is shut down; `CancellationError` when the task is cancelled.
    func enter(within timeout: Duration?) async throws -> Permit? {
        guard !self.isClosed.load(ordering: .acquiring) else { throw Self.shutDown }
        guard let limit else { return nil }
        let isIn = self.state.withLock { state in
            guard state.active < limit, state.waiters.isEmpty else { return false }
            state.active += 1
            return true
        }
        if !isIn { try await self.waitForPlace(within: timeout) }
        return Permit(self)
    }

    /// Turns everyone away, now and from now on; those inside stay.
    func close() {
        self.isClosed.store(true, ordering: .releasing)
        let waiters = self.state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.shutDown) }
    }

    /// The number of requests inside and waiting.
    var counts: (active: Int, waiting: Int) { self.state.withLock { ($0.active, $0.waiters.count) } }

    private func waitForPlace(within timeout: Duration?) async throws {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        guard let timeout else { return try await self.wait(id) }
        let clock = self.clock
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await clock.sleep(for: timeout)
                self.fail(id, with: Self.timedOut(timeout))
            }
            defer { group.cancelAll() }
            try await self.wait(id)
        }
    }

    private func wait(_ id: UInt64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                let outcome: Result<Void, any Error>? = self.state.withLock { state in
                    if state.isClosed { return .failure(Self.shutDown) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    // A place may have become free since the first look.
                    if let limit, state.active < limit {
                        state.active += 1
                        return .success(())
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            self.fail(id, with: CancellationError())
        }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        self.state.withLock { $0.remove(id) }?.resume(throwing: error)
    }

    private func leave() {
        // The place goes to the first in the queue without becoming free in between.
        let next = self.state.withLock { state -> Continuation? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
            state.active -= 1
            return nil
        }
        next?.resume()
    }

    private static var shutDown: SessionError {
        SessionError(.shutDown, reason: "the session has been shut down")
    }

    private static func timedOut(_ timeout: Duration) -> SessionError {
        SessionError(
            .timedOut,
            reason:
                "no other request finished within \(timeout); the session's maximumConcurrentRequests are all under way",
            phase: .queue
        )
    }
}
