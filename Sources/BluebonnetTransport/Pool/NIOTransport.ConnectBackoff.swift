// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension NIOTransport {
    /// How long an engine waits after a failed connection attempt before it makes another one to the same origin.
    ///
    /// The failure itself is reported at once. Requests that arrive later, or are already waiting, are held back; after
    /// the delay, one connection is attempted for all of them. If it fails, they all fail, and the next delay is twice
    /// as long; while another connection to the origin is open, only the one that has waited longest fails, and the
    /// others go on waiting for either. A successful connection ends the back-off, and so does a change of the network.
    ///
    /// Failures that would repeat do not count: TLS options that cannot be used, a TLS handshake that the server or the
    /// engine refuses, a certificate that is not trusted, credentials that a proxy refuses, an interface that is not
    /// allowed.
    public struct ConnectBackoff: Sendable, Hashable {
        /// The delay after the first failure: 100 ms unless changed.
        ///
        /// Each further failure doubles it.
        public var initial: Duration

        /// The longest delay: 5 s unless changed.
        ///
        /// If no request arrives for this long after a delay, the back-off of the origin is reset.
        public var maximum: Duration

        /// Creates a back-off.
        ///
        /// Each delay is random, between half of its nominal length and all of it. A request is held back for at most
        /// half of its ``Timeouts/connect`` limit.
        ///
        /// - Parameters:
        ///   - initial: The delay after the first failure; a negative value counts as zero.
        ///   - maximum: The longest delay.
        public init(initial: Duration = .milliseconds(100), maximum: Duration = .seconds(5)) {
            self.initial = initial
            self.maximum = maximum
        }

        /// Returns the delay after a number of consecutive failures.
        ///
        /// - Parameters:
        ///   - failureCount: The number, at least 1.
        ///   - jitter: The position between half of the delay and all of it, from 0 to 1.
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
    /// Whether a later connection attempt may succeed after this error, so that it is worth waiting for.
    var countsForBackoff: Bool {
        switch self.code {
        case .nameResolutionFailed, .connectFailed, .proxyFailed, .timedOut, .connectionClosed: true
        default: false
        }
    }
}
