// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Measures how the time of an operation grows with its input.
///
/// The time is the processor time of the calling thread, the least of several runs, so that other tests do not disturb it.
public enum Scaling {
    /// The factors by which the input grows.
    public static let factors = [1, 2, 4, 8]

    /// The largest growth that counts as linear: eight times the input takes eight times as long where time is linear, and 64 times as
    /// long where it is quadratic.
    public static let largestGrowth = 24.0

    /// Runs an operation on inputs of 1, 2, 4 and 8 times a size.
    ///
    /// - Parameters:
    ///   - runs: How often each size is measured at least: growth that is too large is measured up to three times more, unless `runs` is 1, since
    ///     whatever disturbs a run adds to its time.
    ///   - makeOperation: Prepares the operation for a factor; not measured.
    /// - Returns: The seconds for each factor, none below 100 microseconds, below which the clock says little.
    /// - Throws: What the operation throws.
    public static func seconds(
        runs: Int = 2,
        _ makeOperation: (_ factor: Int) throws -> () throws -> Void
    ) throws -> [Double] {
        let operations = try self.factors.map(makeOperation)
        var least = [Double](repeating: .infinity, count: operations.count)
        var run = 0
        while run < runs || (runs > 1 && run < runs + 3 && least[least.count - 1] / least[0] >= self.largestGrowth) {
            for (index, operation) in operations.enumerated() {
                let start = Self.threadSeconds()
                try operation()
                least[index] = min(least[index], max(Self.threadSeconds() - start, 0.0001))
            }
            run += 1
        }
        return least
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
