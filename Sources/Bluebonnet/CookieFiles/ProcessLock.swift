// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An exclusive lock between processes, released when it is deallocated, or when the process ends in any way.
struct ProcessLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock; blocks as long as the patience with the other process lasts.
    ///
    /// - Parameters:
    ///   - path: The path of a file used only for the lock, which is created if it is missing.
    ///   - patience: The patience of all who take the lock.
    /// - Throws: `SystemError`.
    init(_ path: String, _ patience: inout SharedPatience) throws(SystemError) {
        self.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard self.descriptor >= 0 else { throw SystemError(.open, errno) }
        while flock(self.descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            let now = ContinuousClock.now
            guard code == EWOULDBLOCK, now < patience.end(at: now) else { throw SystemError(.open, code) }
            // The system does not report that a lock is free, except to those who wait for it without a limit.
            poll(nil, 0, 1)
        }
        patience.reset()
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }
}
