// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// How long the engine waits.
enum TimeLimit: Sendable {
    /// For a connection as usual, for an idle server without limit.
    case noIdleLimit
    /// Without limit.
    case never
    /// For each phase of the connection, and for an idle server.
    case after(Duration)

    init(_ duration: Duration?) {
        self = duration.map { .after($0) } ?? .never
    }

    /// Sets the limits of a request.
    func apply(to timeouts: inout Timeouts) {
        switch self {
        case .noIdleLimit: timeouts.idle = nil
        case .never: timeouts = Self.timeouts(nil, total: timeouts.total)
        case .after(let duration): timeouts = Self.timeouts(duration, total: timeouts.total)
        }
    }

    private static func timeouts(_ limit: Duration?, total: Duration?) -> Timeouts {
        var timeouts = Timeouts()
        timeouts.idle = limit
        (timeouts.resolve, timeouts.connect, timeouts.tlsHandshake) = (limit, limit, limit)
        timeouts.total = total
        return timeouts
    }
}
