// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension NIOTransport {
    /// How long an engine waits after a failed attempt to connect before it makes another one to the same origin.
    ///
    /// The failure itself is reported at once. A request that comes after it, or waits beside it, is held back; when the delay is over, one
    /// connection is tried for all that wait. Where that fails they all fail, and the next delay is twice as long. A connection that is
    /// made ends the back-off, and so does a change of the network.
    ///
    /// What would be the same next time does not count: a certificate that is not trusted, credentials that a proxy refuses, an interface
    /// that is not allowed.
    public struct ConnectBackoff: Sendable, Hashable {
        /// The delay after the first failure: 100 ms unless changed.
        ///
        /// Each further failure doubles it.
        public var initial: Duration

        /// The longest delay: 5 s unless changed.
        ///
        /// An origin that nobody asks for so long after a delay begins anew.
        public var maximum: Duration

        /// Creates a back-off.
        ///
        /// A delay is random between half of its length and all of it. A request is held back for half of its limit for connecting at
        /// most (``Timeouts/connect``).
        ///
        /// - Parameters:
        ///   - initial: The delay after the first failure; a negative one is zero.
        ///   - maximum: The longest delay.
        public init(initial: Duration = .milliseconds(100), maximum: Duration = .seconds(5)) {
            self.initial = initial
            self.maximum = maximum
        }

        /// The delay after a number of failures one after the other.
        ///
        /// - Parameters:
        ///   - failureCount: The number, at least 1.
        ///   - jitter: Where between half and all of it the delay is to be, from 0 to 1.
        /// - Returns: The delay.
        func delay(after failureCount: Int, jitter: Double) -> TimeAmount {
            let maximum = TimeAmount(self.maximum).nanoseconds
            var delay = Swift.min(TimeAmount(self.initial).nanoseconds, maximum)
            for _ in 1..<Swift.max(failureCount, 1) where delay < maximum { delay = Swift.min(2 * delay, maximum) }
            return .nanoseconds(delay / 2 + Int64(Double(delay / 2) * Swift.min(Swift.max(jitter, 0), 1)))
        }
    }
}

extension TransportError {
    /// Whether a later attempt to connect may well not fail like this one, so that it is worth waiting for.
    var countsForBackoff: Bool {
        switch self.code {
        case .nameResolutionFailed, .connectFailed, .proxyFailed, .timedOut, .connectionClosed, .tlsFailed: true
        default: false
        }
    }
}
