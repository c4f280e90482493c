// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension ExchangeMetrics {
    /// An instant on the system's monotonic clock (`CLOCK_MONOTONIC` on Linux), in nanoseconds.
    ///
    /// Instants of one process can be compared and subtracted; they are unrelated to the time of day.
    ///
    /// The type is not `ContinuousClock.Instant`, because a dozen of those in every response are slow to copy: their
    /// layout is hidden from the compiler.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        private var nanoseconds: Int64

        /// The current instant.
        public static var now: Self { Self(.now()) }

        init(_ deadline: NIODeadline) {
            self.nanoseconds = Int64(clamping: deadline.uptimeNanoseconds)
        }

        /// Returns an instant offset from this one; a fraction of a nanosecond is dropped.
        ///
        /// A result outside the clock's range is clamped to the range.
        public func advanced(by duration: Duration) -> Self {
            let range = Duration.nanoseconds(Int64.min)...Duration.nanoseconds(Int64.max)
            let (seconds, attoseconds) = Swift.min(Swift.max(duration, range.lowerBound), range.upperBound).components
            // The seconds of a duration in this range cannot overflow; the fraction of the last second can.
            let (nanoseconds, overflow) = (seconds * 1_000_000_000)
                .addingReportingOverflow(attoseconds / 1_000_000_000)
            var other = self
            let (sum, sumOverflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
            other.nanoseconds = overflow || sumOverflow ? (duration < .zero ? .min : .max) : sum
            return other
        }

        /// Returns the duration from this instant to another; negative if the other is earlier.
        public func duration(to other: Self) -> Duration {
            .nanoseconds(other.nanoseconds) - .nanoseconds(self.nanoseconds)
        }

        /// Returns the duration from one instant to a later one.
        public static func - (later: Self, earlier: Self) -> Duration { earlier.duration(to: later) }

        /// Whether an instant is earlier than another.
        public static func < (earlier: Self, later: Self) -> Bool { earlier.nanoseconds < later.nanoseconds }

        /// The seconds on the clock, to the nanosecond.
        public var description: String { "\(Duration.nanoseconds(self.nanoseconds))" }
    }
}
