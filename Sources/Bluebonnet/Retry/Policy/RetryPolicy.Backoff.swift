// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension RetryPolicy {
    /// The delay before an attempt: a random time from zero to a ceiling, doubled with each attempt ("full jitter").
    ///
    /// A random time spreads clients that failed at the same moment, so that they do not return at the same moment. It
    /// is added to the time of a `Retry-After` field, if the server sends one.
    public struct Backoff: Sendable, Hashable {
        private static let longest = Duration.seconds(86_400)

        /// The ceiling before the second attempt: 500 ms unless changed, a day at most.
        public var initial: Duration = .milliseconds(500) {
            didSet { self.initial = min(max(self.initial, .zero), Self.longest) }
        }

        /// The highest ceiling: 20 s unless changed, a day at most.
        public var maximum: Duration = .seconds(20) {
            didSet { self.maximum = min(max(self.maximum, .zero), Self.longest) }
        }

        /// Creates a back-off.
        ///
        /// - Parameters:
        ///   - initial: The ceiling before the second attempt.
        ///   - maximum: The highest ceiling.
        public init(initial: Duration = .milliseconds(500), maximum: Duration = .seconds(20)) {
            self.initial = min(max(initial, .zero), Self.longest)
            self.maximum = min(max(maximum, .zero), Self.longest)
        }

        /// No delay, for tests.
        public static let none = Backoff(initial: .zero, maximum: .zero)

        /// The longest delay after an attempt.
        ///
        /// - Parameter attempt: The attempt that failed, counted from 1.
        /// - Returns: The ceiling of the random time.
        public func ceiling(afterAttempt attempt: Int) -> Duration {
            var ceiling = self.initial
            // Beyond the maximum, and from zero, doubling changes nothing.
            for _ in 1..<max(attempt, 1) {
                guard ceiling > .zero, ceiling < self.maximum else { break }
                ceiling *= 2
            }
            return min(ceiling, self.maximum)
        }

        /// The delay after an attempt.
        package func delay(afterAttempt attempt: Int, random: Double) -> Duration {
            self.ceiling(afterAttempt: attempt) * min(max(random, 0), 1)
        }
    }
}
