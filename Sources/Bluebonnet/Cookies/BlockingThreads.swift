// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// Four threads for code that may wait for another process, and blocks meanwhile.
///
/// Swift's own threads are as many as the machine has processors: if they block, every task of the program stands still.
enum BlockingThreads {
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        return threads
    }()

    /// Runs work on one of the threads.
    ///
    /// - Parameter work: The work. It is carried out in any case; a task that is cancelled does not wait for its end.
    static func run(_ work: @escaping @Sendable () -> Void) async {
        let (ends, end) = AsyncStream<Never>.makeStream()
        self.threads.submit { _ in
            work()
            end.finish()
        }
        for await _ in ends {}
    }
}
