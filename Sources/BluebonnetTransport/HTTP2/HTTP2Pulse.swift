// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Detects whether the server is alive: a PING is sent if responses are outstanding, and nothing has been received for
/// a time, in which the connection may have been idle.
struct HTTP2Pulse {
    /// The action to take.
    enum Check: Equatable {
        /// Nothing, until a deadline if there is one.
        case quiet(until: NIODeadline?)
        /// Send a PING, and check again at a deadline.
        case ping(until: NIODeadline)
        /// The server has not answered, and has accepted no bytes, for this long.
        case dead(after: Duration)
    }

    private let interval: TimeAmount?
    private let timeout: Duration
    /// When bytes last arrived from the server.
    private(set) var lastHeard: NIODeadline
    /// When an unanswered PING was sent.
    private var asked: NIODeadline?
    /// When the server was last seen to accept bytes.
    private var lastTaken: NIODeadline

    init(interval: Duration?, timeout: Duration, now: NIODeadline) {
        self.interval = interval.map { TimeAmount($0) }
        self.timeout = timeout
        self.lastHeard = now
        self.lastTaken = now
    }

    /// Notes that bytes arrived from the server.
    mutating func heard(_ now: NIODeadline) { self.lastHeard = now }

    /// Notes that the server has accepted bytes that had waited: it may not have come to the PING behind them.
    mutating func taken(_ now: NIODeadline) { self.lastTaken = now }

    /// Notes the acknowledgement of the PING.
    mutating func answered() { self.asked = nil }

    /// Whether a PING was sent and nothing has been received since.
    var isUnanswered: Bool { self.asked.map { self.lastHeard <= $0 } ?? false }

    /// When a PING is due, if the server stays silent; in the past after a long idle time.
    var deadline: NIODeadline? { self.interval.map { self.lastHeard + $0 } }

    /// Checks the time while responses are outstanding.
    mutating func check(_ now: NIODeadline) -> Check {
        guard let deadline else { return .quiet(until: nil) }
        // Any bytes received since then show that the server is alive.
        if let asked, self.lastHeard > asked { self.asked = nil }
        if let asked {
            let end = Swift.max(asked, self.lastTaken) + TimeAmount(self.timeout)
            return end <= now ? .dead(after: self.timeout) : .quiet(until: end)
        }
        guard deadline <= now else { return .quiet(until: deadline) }
        self.asked = now
        return .ping(until: now + TimeAmount(self.timeout))
    }
}
