// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The tasks of a session that have not ended: it numbers them, lists them, and cancels them when the session ends.
///
/// A running task keeps itself alive; one that was never resumed lives as long as the program retains it.
final class TaskRegistry: Sendable {
    private struct Entry {
        weak var task: (any AnySessionTask)?
        var hasStarted = false
    }

    private struct State {
        var isClosed = false
        var lastID: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        /// The number of begun tasks whose end has not been reported to the observers.
        var untold = 0
        /// Resumed when that number is zero.
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The tasks that have not ended, in the order of their creation.
    var tasks: [any AnySessionTask] {
        self.state.withLock { state in
            state.entries.sorted { $0.key < $1.key }.compactMap { $0.value.task }
        }
    }

    func makeID() -> UInt64 {
        self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds a new task.
    ///
    /// - Returns: False if the session has ended, which the task has to fail with.
    func add(_ task: any AnySessionTask) -> Bool {
        self.state.withLock { state in
            if !state.isClosed { state.entries[task.id] = Entry(task: task) }
            return !state.isClosed
        }
    }

    /// Records that a task is about to be resumed for the first time, or to be cancelled before that.
    ///
    /// ``settled()`` has to follow.
    func started(_ id: UInt64) {
        self.state.withLock { state in
            state.untold += 1
            state.entries[id]?.hasStarted = true
        }
    }

    /// Records that the observers know about the end of a task, or that there is nothing to tell: it had begun before.
    func settled() {
        let drained = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.untold -= 1
            guard state.untold == 0 else { return [] }
            defer { state.drained = [] }
            return state.drained
        }
        for waiter in drained { waiter.resume() }
    }

    /// Waits until the observers know about the end of every task that has begun.
    func drain() async {
        await withCheckedContinuation { continuation in
            let mustWait = self.state.withLock { state in
                if state.untold > 0 { state.drained.append(continuation) }
                return state.untold > 0
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Removes a task that has ended, or that was released before it was resumed.
    func remove(_ id: UInt64) {
        self.state.withLock { _ = $0.entries.removeValue(forKey: id) }
    }

    /// Accepts no more tasks, and cancels those that were never resumed, which nothing else could end.
    func close() {
        let idle = self.state.withLock { state in
            state.isClosed = true
            return state.entries.values.filter { !$0.hasStarted }.compactMap(\.task)
        }
        for task in idle { task.cancel() }
    }

    /// Cancels every task.
    func cancelAll() {
        for task in self.tasks { task.cancel() }
    }
}
