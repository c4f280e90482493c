// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The limit of this process on open file descriptors (`ulimit -n`).
package enum DescriptorLimit {
    /// The number of file descriptors that the process may have open now; `Int.max` without a limit.
    package static var current: Int {
        let limit = sysconf(CInt(_SC_OPEN_MAX))
        return limit < 0 ? .max : limit
    }

    /// Counts the file descriptors that the limit leaves.
    ///
    /// Nothing is opened: another thread that found no descriptor meanwhile could stop the process, as those of
    /// libdispatch do.
    ///
    /// - Parameter most: The count to stop at.
    /// - Returns: The number of free descriptors, at most `most`.
    package static func available(upTo most: Int) -> Int {
        let limit = self.current
        guard limit < .max else { return most }
        var (free, number) = (0, 0)
        while free < most, number < min(limit, Int(CInt.max)) {
            if fcntl(CInt(number), F_GETFD) < 0 { free += 1 }
            number += 1
        }
        return free
    }
}
