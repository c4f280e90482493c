// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a pool has done so far.
struct PoolCounters {
    var opened = 0
    var closed = 0
    var failed = 0
    var waitedTooLong = 0
    /// The exchanges that were started on connections that are closed by now.
    var finishedUses = 0
}

extension NIOTransport {
    /// What an engine's pool holds at a moment, and what it has done since it was made.
    public struct Statistics: Sendable, Hashable {
        /// The connections that are open, idle or in use.
        public var open = 0
        /// The connections that are being made.
        public var connecting = 0
        /// The open connections that carry nothing.
        public var idle = 0
        /// The exchanges that connections carry.
        public var inFlight = 0
        /// The requests that wait for a connection.
        public var waiting = 0
        /// The exchanges started so far; more than ``opened`` because connections are used again.
        public var started = 0
        /// The connections made so far.
        public var opened = 0
        /// The connections closed so far, by whichever side.
        public var closed = 0
        /// The connections that could not be made.
        public var failed = 0
        /// The requests that gave up waiting for a connection.
        public var waitedTooLong = 0

        init(counters: PoolCounters) {
            self.opened = counters.opened
            self.closed = counters.closed
            self.failed = counters.failed
            self.waitedTooLong = counters.waitedTooLong
        }
    }
}
