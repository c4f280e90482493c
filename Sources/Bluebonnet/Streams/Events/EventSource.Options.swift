// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension EventSource {
    /// When and how an ``EventSource`` reconnects, and how much a server may send.
    public struct Options: Sendable, Hashable {
        /// The ID to go on after, from an earlier stream; empty, the default, to begin anew.
        ///
        /// It is sent as `Last-Event-ID`, in place of a field of the request, unless it is empty. From then on the server's IDs count.
        public var lastEventID = ""

        /// Whether a lost connection is made again; nil, the default, if the method is GET.
        public var reconnects: Bool?

        /// The delay before the first attempt to reconnect, until the server says otherwise with `retry`: 3 s unless set.
        ///
        /// Every further connection that cannot be made, or is lost without an event sooner than the delay before it was long, doubles it, from 1 s at
        /// least. On top comes a random part of up to ``jitter``.
        public var reconnectionTime = Duration.seconds(3)

        /// The least and the longest delay, whatever the server says, before the random part: 100 ms and 60 s unless set.
        public var delays: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)

        /// The largest random part of a delay, as a part of it, so that clients that were cut off together do not return together: 0.5 unless set.
        ///
        /// Values outside 0 to 1 count as the nearest of them, and one that is no number as 0.
        public var jitter = 0.5

        /// The connections in a row that may be lost without an event; nil, the default, for any number.
        ///
        /// The error of the last one is thrown then.
        public var attempts: Int?

        /// The longest silence of the server, comments counting as bytes; nil, the default, for `Timeouts.responseBody` of the session, which is 60 s
        /// unless changed.
        ///
        /// A connection that is silent for longer is given up, and made again. It is the engine that watches it.
        public var idleLimit: Duration?

        /// How much the server may send at a time; nil, the default, for ``StreamLimits/events`` of the session.
        public var limits: EventLimits?

        /// Creates the default options.
        public init() {}

        /// The delay before a connection.
        ///
        /// - Parameters:
        ///   - reconnectionTime: The delay that the server or the program has asked for.
        ///   - failures: The connections in a row that failed, this one included; 1 or more.
        ///   - spread: Which part of the jitter is taken, from 0 to 1.
        /// - Returns: The delay.
        func delay(_ reconnectionTime: Duration, failures: Int, spread: Double) -> Duration {
            // A year: a duration cannot overflow below it.
            let longest = Swift.min(self.delays.upperBound, .seconds(31_557_600))
            var delay = reconnectionTime
            if failures > 1 { delay = Swift.max(delay, .seconds(1)) }
            var doublings = failures - 1
            while doublings > 0, delay < longest {
                delay = delay * 2
                doublings -= 1
            }
            delay = Swift.max(Swift.min(delay, longest), self.delays.lowerBound)
            // A duration cannot be multiplied with what is no number, and the comparisons let it through.
            let part = self.jitter.isNaN ? 0 : Swift.min(Swift.max(self.jitter, 0), 1) * spread
            return delay + delay * part
        }
    }
}
