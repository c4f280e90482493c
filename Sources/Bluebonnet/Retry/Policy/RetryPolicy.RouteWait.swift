// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension RetryPolicy {
    /// The wait for a route to the network, before the back-off of an attempt that failed before anything was sent.
    ///
    /// A route is a hint and no gate: an attempt is made at the end of the wait, whether or not there is one.
    ///
    /// ```swift
    /// configuration.retries.routeWait = RetryPolicy.RouteWait(limit: .seconds(60))
    /// ```
    public struct RouteWait: Sendable {
        /// What knows whether there is a route; it runs while somebody waits, whether or not it was started.
        public var monitor: ReachabilityMonitor

        /// How long to wait before one attempt: 30 s unless changed, and at most half of the time that the call has
        /// left, so that the attempt has the other half.
        public var limit: Duration

        /// Creates a wait.
        ///
        /// - Parameters:
        ///   - monitor: What knows whether there is a route: to the network, unless given.
        ///   - limit: How long to wait before one attempt.
        public init(_ monitor: ReachabilityMonitor = .shared, limit: Duration = .seconds(30)) {
            self.monitor = monitor
            self.limit = limit
        }

        /// Waits; returns at once if there is a route, or if nothing can be known.
        ///
        /// - Parameters:
        ///   - call: The call, whose deadline and clock count.
        ///   - delay: The back-off that follows, and that the call has to have time for.
        /// - Throws: As ``Call/pause(_:)``.
        func run(_ call: Call, before delay: Duration) async throws {
            let limit = min(self.limit, call.remaining.map { ($0 - delay) / 2 } ?? self.limit)
            guard limit > .zero else { return }
            _ = try await call.pause { try await self.monitor.waitForRoute(within: limit, clock: call.clock) }
        }
    }
}
