// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The limit of this process on threads (`ulimit -u`, and `ulimit -v` for their stacks).
enum ThreadLimit {
    /// The number of threads that a command may start.
    ///
    /// Those of NIO's loops and of its pool, one per processor for Swift's tasks, eight that look names up, the one that
    /// waits for signals, and one of libdispatch's own.
    static var required: Int {
        let processors = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))
        return NIOSingletons.groupLoopCountSuggestion + NIOSingletons.blockingPoolThreadCountSuggestion
            + processors + 8 + 2
    }

    /// Whether a limit of the process is so low that a command may reach it.
    ///
    /// Most limits are far higher, and starting the threads to count them would take part of a millisecond of each command.
    static var mayBeReached: Bool {
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
    static func available(upTo most: Int) -> Int {
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
