// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The totals of a pool.
struct PoolCounters {
    var opened = 0
    var closed = 0
    var failed = 0
    var waitedTooLong = 0
    /// The number of exchanges started on connections that are now closed.
    var finishedUses = 0
}

extension NIOTransport {
    /// The current state of an engine's connection pool, and its totals so far.
    public struct Statistics: Sendable, Hashable {
        /// The number of open connections, idle or in use.
        public var open = 0
        /// The number of connections being made.
        public var connecting = 0
        /// The number of open connections without an exchange.
        public var idle = 0
        /// The number of exchanges in progress on connections.
        public var inFlight = 0
        /// The number of requests that wait for a connection.
        public var waiting = 0
        /// The number of exchanges started so far; more than ``opened`` if connections are reused.
        public var started = 0
        /// The number of connections opened so far.
        public var opened = 0
        /// The number of connections closed so far, by either side.
        public var closed = 0
        /// The number of connections that could not be made.
        public var failed = 0
        /// The number of requests whose wait for a connection timed out.
        public var waitedTooLong = 0

        init(counters: PoolCounters) {
            self.opened = counters.opened
            self.closed = counters.closed
            self.failed = counters.failed
            self.waitedTooLong = counters.waitedTooLong
        }
    }
}
