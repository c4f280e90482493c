// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc

private let thisProcess = Int32(RUSAGE_SELF.rawValue)
#else
import Darwin

private let thisProcess = RUSAGE_SELF
#endif

/// The resource usage of this process so far.
public struct Usage: Sendable {
    /// The time of a monotonic clock, in seconds.
    public var clock: Double
    /// The processor time of all threads, in seconds.
    public var processor: Double

    /// Reads the clock and the resource counters of the system.
    public static func now() -> Usage {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Usage(clock: Self.clockSeconds(), processor: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// The peak memory usage of this process, in bytes.
    public static var peakMemory: Int {
        var usage = rusage()
        getrusage(thisProcess, &usage)
        return usage.ru_maxrss * 1024
    }

    /// Returns the time of a monotonic clock in seconds, for loops with a time limit.
    public static func clockSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
