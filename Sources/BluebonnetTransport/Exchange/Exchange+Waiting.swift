// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What a request waits for in the pool, which decides how long.
enum AwaitedConnection {
    /// A connection that becomes free.
    case free
    /// One that is, or will be, made for it.
    case made
    /// One that is being made for another request, and that it shares.
    case shared
}

/// How long an exchange waits for a connection, and the error when that is exceeded.
extension Exchange {
    /// Returns the deadline for obtaining a connection.
    ///
    /// If a connection is being made for the request, the limits for connecting are added. If one is being made for
    /// another request, those of this request apply to the wait for it.
    func waitDeadline(for awaited: AwaitedConnection, now: NIODeadline) -> NIODeadline? {
        let timeouts = self.request.timeouts
        let queue = timeouts.queue.map { TimeAmount($0) }
        let limit =
            switch awaited {
            case .free: queue
            case .made: queue.flatMap { queue in timeouts.establishing(over: self.route).map { queue + $0 } }
            case .shared: timeouts.establishing(over: self.route)
            }
        return .earlier(limit.map { now + $0 }, self.totalDeadline)
    }

    /// The error of an exchange that waited too long.
    func waitedTooLong(now: NIODeadline) -> TransportError {
        if let total = self.totalDeadline, total <= now {
            return .lateInAll(self.connectingPhase ?? .queue, isRequestSent: false)
        }
        let waited = self.queueStarted.duration(to: ExchangeMetrics.Instant(now))
        guard let queue = self.request.timeouts.queue, waited >= queue else {
            return TransportError(
                .timedOut,
                phase: .connect,
                reason: "the connection to \(self.request.origin), for which other requests wait, was not made in time"
            )
        }
        return TransportError(
            .timedOut,
            phase: .queue,
            reason:
                "no connection to \(self.request.origin) became free within \(queue), see pool.maximumConnectionsPerOrigin"
        )
    }
}
