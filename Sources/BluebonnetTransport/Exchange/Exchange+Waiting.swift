// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// How long an exchange waits for a connection, and the error when that is exceeded.
extension Exchange {
    /// Returns the deadline for obtaining a connection.
    ///
    /// If a connection is being made for the request, the limits for connecting are added.
    func waitDeadline(connects: Bool, now: NIODeadline) -> NIODeadline? {
        let timeouts = self.request.timeouts
        var limit = timeouts.queue.map { now + TimeAmount($0) }
        if connects, let pool = limit {
            limit = timeouts.establishing(over: self.route).map { pool + $0 }
        }
        guard let limit, let total = self.totalDeadline else { return limit ?? self.totalDeadline }
        return Swift.min(limit, total)
    }

    /// The error of an exchange that waited too long.
    func waitedTooLong(now: NIODeadline) -> TransportError {
        if let total = self.totalDeadline, total <= now {
            return TransportError(.timedOut, phase: .total, reason: "the request took longer than its limit in all")
        }
        return TransportError(
            .timedOut,
            phase: .queue,
            reason: "no connection to \(self.request.origin) became free in time"
        )
    }
}
