// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs code that may wait for another process, and blocks meanwhile, one piece after another.
///
/// Swift's own threads are as many as the machine has processors: if they block, every task of the program stands still.
struct BlockingQueue: Sendable {
    // A queue, because its threads are not those of tasks, and may block.
    private let queue = DispatchQueue(label: "bluebonnet.blocking")

    /// Runs work on the queue.
    ///
    /// - Parameter work: The work. It is carried out in any case; a task that is cancelled does not wait for its end.
    func run(_ work: @escaping @Sendable () -> Void) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        self.queue.async {
            work()
            end.finish()
        }
        for await _ in ends {}
    }
}
