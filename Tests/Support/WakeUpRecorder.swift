// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The executor of a task that must not be woken up within a call that cancels another one.
///
/// A task that is woken up is given to its executor at once, on the thread that does it, and that takes a lock of the task. Within a
/// call that cancels another task, a lock of that one is held.
public final class WakeUpRecorder: TaskExecutor {
    private struct State {
        var thread: ObjectIdentifier?
        var count = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// How often the task was woken up within the calls of ``cancelling(_:)``.
    public var count: Int { self.state.withLock { $0.count } }

    /// Cancels another task.
    ///
    /// - Parameter cancel: Cancels it.
    public func cancelling(_ cancel: () -> Void) {
        // The thread is the same object as long as it is in here.
        let thread = Thread.current
        self.state.withLock { $0.thread = ObjectIdentifier(thread) }
        cancel()
        self.state.withLock { $0.thread = nil }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let thread = ObjectIdentifier(Thread.current)
        self.state.withLock { if $0.thread == thread { $0.count += 1 } }
        globalConcurrentExecutor.enqueue(job)
    }
}
