// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Runs CPU-bound work on the concurrent pool, with limited concurrency.
final class DecodingPool: Sendable {
    private struct State {
        var running = 0
        var nextID: UInt64 = 0
        /// The waiting tasks in order.
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a pool.
    ///
    /// - Parameter limit: The maximum number of concurrent operations.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Half of the processors, so that decoding leaves threads of the concurrent pool for everything else.
    static let shared = DecodingPool(limit: Processors.count / 2)

    /// Runs work when there is capacity for it.
    ///
    /// - Parameter work: The work, which checks `Task.isCancelled` itself.
    /// - Returns: Its result.
    /// - Throws: Its error; `CancellationError` if the task is cancelled while it waits.
    func run<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await self.enter()
        defer { self.leave() }
        try Task.checkCancellation()
        return try await Self.concurrently(work)
    }

    @concurrent
    private static func concurrently<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value
    {
        try await work()
    }

    private func enter() async throws {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = self.state.withLock { state -> Result<Void, any Error>? in
                    // Checked inside the lock: a later cancellation finds the waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.running < self.limit {
                        state.running += 1
                        return .success(())
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = self.state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, any Error>? in
            // The capacity passes to the next waiter.
            if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
