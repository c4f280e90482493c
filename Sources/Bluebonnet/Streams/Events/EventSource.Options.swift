// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension EventSource {
    /// When and how an ``EventSource`` reconnects, and the limits of the stream.
    public struct Options: Sendable, Hashable {
        /// The event ID to continue after, from an earlier stream; empty, the default, to begin a new one.
        ///
        /// Unless it is empty, it is sent as `Last-Event-ID` and replaces that field of the request. Afterwards the
        /// server's IDs are used.
        public var lastEventID = ""

        /// Whether it reconnects after a lost connection; nil, the default, if the method is GET.
        public var reconnects: Bool?

        /// The delay before the first attempt to reconnect, unless the server sends another in `retry`: 3 s unless set.
        ///
        /// Every further connection that fails, or that is lost without an event after less time than the delay before
        /// it, doubles the delay, starting from 1 s at least. A random part of up to ``jitter`` is added.
        public var reconnectionTime = Duration.seconds(3)

        /// The shortest and the longest delay, whatever the server requests, before the random part: 100 ms and 60 s
        /// unless set.
        public var delays: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)

        /// The largest random part of a delay, as a fraction of it, so that clients disconnected together do not return
        /// together: 0.5 unless set.
        ///
        /// Values outside 0 to 1 are reduced to the nearest of them, and NaN to 0.
        public var jitter = 0.5

        /// The number of successive connections that may be lost without an event; nil, the default, for any number.
        ///
        /// Then the error of the last one is thrown.
        public var maximumAttempts: Int?

        /// The read timeout of a connection, with comments counting as bytes; nil, the default, for
        /// `Timeouts.responseBody` of the session, which is 60 s unless changed.
        ///
        /// A connection without bytes for longer is closed and made again. The engine enforces the limit.
        public var idleLimit: Duration?

        /// The limits of the stream; nil, the default, for ``StreamLimits/events`` of the session.
        public var limits: EventLimits?

        /// Creates options, the default ones unless something is given.
        ///
        /// - Parameters:
        ///   - lastEventID: The event ID to continue after; empty to begin a new stream.
        ///   - reconnects: Whether it reconnects after a lost connection; nil if the method is GET.
        ///   - reconnectionTime: The delay before the first attempt to reconnect.
        ///   - delays: The shortest and the longest delay, before the random part.
        ///   - jitter: The largest random part of a delay, as a fraction of it.
        ///   - maximumAttempts: The number of successive connections that may be lost without an event; nil for any.
        ///   - idleLimit: The read timeout of a connection; nil for that of the session.
        ///   - limits: The limits of the stream; nil for those of the session.
        public init(
            lastEventID: String = "",
            reconnects: Bool? = nil,
            reconnectionTime: Duration = .seconds(3),
            delays: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60),
            jitter: Double = 0.5,
            maximumAttempts: Int? = nil,
            idleLimit: Duration? = nil,
            limits: EventLimits? = nil
        ) {
            self.lastEventID = lastEventID
            self.reconnects = reconnects
            self.reconnectionTime = reconnectionTime
            self.delays = delays
            self.jitter = jitter
            self.maximumAttempts = maximumAttempts
            self.idleLimit = idleLimit
            self.limits = limits
        }

        /// The delay before a connection.
        ///
        /// - Parameters:
        ///   - reconnectionTime: The delay that the server or the program has set.
        ///   - failures: The number of successive connections that failed, including this one; 1 or more.
        ///   - spread: The fraction of the jitter that is added, from 0 to 1.
        /// - Returns: The delay.
        func delay(_ reconnectionTime: Duration, failures: Int, spread: Double) -> Duration {
            // At most a year, so that the duration cannot overflow.
            let longest = Swift.min(self.delays.upperBound, .seconds(31_557_600))
            var delay = reconnectionTime
            if failures > 1 { delay = Swift.max(delay, .seconds(1)) }
            var doublings = failures - 1
            while doublings > 0, delay < longest {
                delay = delay * 2
                doublings -= 1
            }
            delay = Swift.max(Swift.min(delay, longest), self.delays.lowerBound)
            // A duration cannot be multiplied by NaN, which the comparisons do not exclude.
            let part = self.jitter.isNaN ? 0 : Swift.min(Swift.max(self.jitter, 0), 1) * spread
            return delay + delay * part
        }
    }
}
