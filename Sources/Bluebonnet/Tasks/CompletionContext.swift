// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// The context in which the completion functions of a session's tasks run, and the group that waits for them.
///
/// ```swift
/// configuration.completion = .queue(.main, group: group)
/// ```
public struct CompletionContext: Sendable {
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let group: DispatchGroup?

    /// Runs them at once, on the thread that completes the task.
    public static let inline = CompletionContext(group: nil) { $0() }

    private init(
        group: DispatchGroup?,
        schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.group = group
        self.schedule = schedule
    }

    /// Runs them on a queue.
    ///
    /// - Parameters:
    ///   - queue: The dispatch queue on which the completion functions are called.
    ///   - group: Entered when a task is resumed for the first time, and left when its completion functions have run; nil for none.
    /// - Returns: The context.
    public static func queue(
        _ queue: DispatchQueue,  // What programs with completion functions have.
        group: DispatchGroup? = nil
    ) -> CompletionContext {
        CompletionContext(group: group) { work in queue.async { work() } }
    }

    /// Runs them in a task on an executor.
    ///
    /// - Parameters:
    ///   - executor: The executor.
    ///   - group: Entered when a task is resumed for the first time, and left when its completion functions have run; nil for none.
    /// - Returns: The context.
    public static func executor(_ executor: any TaskExecutor, group: DispatchGroup? = nil) -> CompletionContext {
        // The task has no owner, because a completion function always runs to its end and cannot be cancelled.
        CompletionContext(group: group) { work in Task(executorPreference: executor) { work() } }
    }

    /// Enters the group when a task is resumed for the first time.
    func enter() { self.group?.enter() }

    /// Runs the completion functions of a task that has ended.
    ///
    /// - Parameters:
    ///   - functions: The functions.
    ///   - hasEntered: Whether ``enter()`` was called for it.
    func run(_ functions: [@Sendable () -> Void], hasEntered: Bool) {
        let group = hasEntered ? self.group : nil
        guard !functions.isEmpty else {
            group?.leave()
            return
        }
        self.schedule {
            for function in functions { function() }
            group?.leave()
        }
    }
}
