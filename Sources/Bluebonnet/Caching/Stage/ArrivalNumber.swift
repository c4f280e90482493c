// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Numbers responses in the order in which they arrive: the times that their ages are calculated from are whole seconds.
///
/// The numbers are microseconds of the system's clock, so that those of several processes, which share a store on disk,
/// and those of a later one have the same order. Within a process each is larger than the one before it.
enum ArrivalNumber {
    private static let last = Mutex<Int64>(0)

    static func next() -> Int64 {
        let now = Int64(exactly: (Date().timeIntervalSince1970 * 1_000_000).rounded(.down)) ?? 0
        return self.last.withLock { last in
            last = max(last &+ 1, now)
            return last
        }
    }
}
