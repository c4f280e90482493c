// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Blocks the reader of a response's body while its task is suspended, so that the socket is not read and the server
/// stops sending.
final class SuspensionGate: Sendable {
    private struct State {
        var isClosed = false
        var revision: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Closes or opens the gate.
    ///
    /// - Parameters:
    ///   - isClosed: Whether to close it.
    ///   - revision: The number of the change; one that arrives after a newer one is ignored.
    func set(isClosed: Bool, _ revision: UInt64) {
        let waiters = self.state.withLock { state -> [UInt64: CheckedContinuation<Void, Never>] in
            guard revision > state.revision else { return [:] }
            state.revision = revision
            state.isClosed = isClosed
            guard !isClosed else { return [:] }
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Whether a reader has to wait.
    var isClosed: Bool { self.state.withLock { $0.isClosed } }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func pass() async throws {
        guard self.isClosed else { return }
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard state.isClosed, !Task.isCancelled else { return false }
                    state.waiters[id] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
        try Task.checkCancellation()
    }
}
