// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The limit of this process on threads (`ulimit -u`, and `ulimit -v` for their stacks).
package enum ThreadLimit {
    /// Whether a limit of the process is so low that a small program may reach it.
    ///
    /// Most limits are far higher, and starting the threads to count them takes part of a millisecond.
    package static var mayBeReached: Bool {
        #if canImport(Glibc)
        let (processes, memory) = (CInt(__RLIMIT_NPROC.rawValue), CInt(RLIMIT_AS.rawValue))
        #else
        let (processes, memory) = (RLIMIT_NPROC, RLIMIT_AS)
        #endif
        return self.limit(processes) < 1_024 || self.limit(memory) < 64 << 30
    }

    private static func limit(_ resource: CInt) -> rlim_t {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : .max
    }

    /// Counts the threads that can be started.
    ///
    /// They are started, because no system call tells how many are left, and end before this returns.
    ///
    /// - Parameter most: The count to stop at.
    /// - Returns: The number of threads, at most `most`.
    package static func available(upTo most: Int) -> Int {
        let gate = Gate()
        // None ends before the last has been started.
        let threads = gate.mutex.withLock { _ in
            var threads: [pthread_t] = []
            while threads.count < most, let thread = SystemThread.start({ gate.mutex.withLock { _ in } }) {
                threads.append(thread)
            }
            return threads
        }
        for thread in threads { pthread_join(thread, nil) }
        return threads.count
    }

    private final class Gate: Sendable {
        let mutex = Mutex(())
    }
}
