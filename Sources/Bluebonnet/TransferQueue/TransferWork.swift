// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Marks the tasks in which a queue calls functions of the program: attempts, and the termination of uploads.
final class TransferWork: Sendable {
    private let queue: ObjectIdentifier
    /// A task that such a function has started, and that runs when the attempt has ended, is an ordinary one.
    private let isOver = Atomic(false)

    /// Of each queue at most one.
    @TaskLocal private static var current: [TransferWork] = []

    private init(_ queue: TransferQueue) { self.queue = ObjectIdentifier(queue) }

    /// Whether a queue's work has called the current function.
    static func isCurrent(of queue: TransferQueue) -> Bool {
        let id = ObjectIdentifier(queue)
        return self.current.contains { $0.queue == id && !$0.isOver.load(ordering: .relaxed) }
    }

    /// Does work of a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - work: The work.
    /// - Returns: What the work returns.
    static func run<Result: Sendable>(of queue: isolated TransferQueue, _ work: () async -> Result) async -> Result {
        let mark = TransferWork(queue)
        // Without this a task that an earlier attempt has started would carry the marks of all before it.
        let others = self.current.filter { $0.queue != mark.queue && !$0.isOver.load(ordering: .relaxed) }
        defer { mark.isOver.store(true, ordering: .relaxed) }
        return await self.$current.withValue(others + [mark]) { await work() }
    }
}
