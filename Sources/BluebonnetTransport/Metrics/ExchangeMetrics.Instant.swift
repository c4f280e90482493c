// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension ExchangeMetrics {
    /// A moment on the system's monotonic clock (`CLOCK_MONOTONIC` on Linux), in nanoseconds.
    ///
    /// Moments of one process can be compared and subtracted; the time of day is not in them.
    ///
    /// It is not `ContinuousClock.Instant`, because a dozen of those in every response are slow to copy: their layout is hidden from the
    /// compiler.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        private var nanoseconds: Int64

        /// The time now.
        public static var now: Self { Self(.now()) }

        init(_ deadline: NIODeadline) {
            self.nanoseconds = Int64(clamping: deadline.uptimeNanoseconds)
        }

        /// A moment before or after this one; a fraction of a nanosecond is dropped.
        ///
        /// A moment beyond the clock's range is the last, or the first, of the range.
        public func advanced(by duration: Duration) -> Self {
            let range = Duration.nanoseconds(Int64.min)...Duration.nanoseconds(Int64.max)
            let (seconds, attoseconds) = Swift.min(Swift.max(duration, range.lowerBound), range.upperBound).components
            // The seconds of a duration in this range cannot overflow; the rest of the last second can.
            let (nanoseconds, overflow) = (seconds * 1_000_000_000)
                .addingReportingOverflow(attoseconds / 1_000_000_000)
            var other = self
            let (sum, sumOverflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
            other.nanoseconds = overflow || sumOverflow ? (duration < .zero ? .min : .max) : sum
            return other
        }

        /// The time from this moment to another: negative if the other comes before.
        public func duration(to other: Self) -> Duration {
            .nanoseconds(other.nanoseconds) - .nanoseconds(self.nanoseconds)
        }

        /// The time from one moment to a later one.
        public static func - (later: Self, earlier: Self) -> Duration { earlier.duration(to: later) }

        /// Whether a moment comes before another.
        public static func < (earlier: Self, later: Self) -> Bool { earlier.nanoseconds < later.nanoseconds }

        /// The seconds on the clock, to the nanosecond.
        public var description: String { "\(Duration.nanoseconds(self.nanoseconds))" }
    }
}
