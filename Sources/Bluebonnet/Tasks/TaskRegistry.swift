// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The running tasks of a session: numbers them, and cancels them when the session ends.
final class TaskRegistry: Sendable {
    private struct State {
        var isClosed = false
        var cancellers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let lastID = Atomic<UInt64>(0)
    private let state = Mutex(State())

    /// The number of running tasks.
    var count: Int { self.state.withLock { $0.cancellers.count } }

    func makeID() -> UInt64 {
        self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func add(_ id: UInt64, cancel: @escaping @Sendable () -> Void) {
        let isClosed = self.state.withLock { state in
            if !state.isClosed { state.cancellers[id] = cancel }
            return state.isClosed
        }
        if isClosed { cancel() }
    }

    func remove(_ id: UInt64) {
        self.state.withLock { _ = $0.cancellers.removeValue(forKey: id) }
    }

    func cancelAll() {
        let cancellers = self.state.withLock { state in
            state.isClosed = true
            defer { state.cancellers = [:] }
            return state.cancellers
        }
        for cancel in cancellers.values { cancel() }
    }
}
