// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Whether the peer of a connection is alive: one that is silent while responses are outstanding is asked (PING).
struct HTTP2Pulse {
    /// What to do now.
    enum Check: Equatable {
        /// Nothing, until a moment if there is one.
        case quiet(until: NIODeadline?)
        /// The peer is to be asked, and looked after at a moment.
        case ping(until: NIODeadline)
        /// It has not answered for so long.
        case dead(after: Duration)
    }

    private let interval: TimeAmount?
    private let timeout: Duration
    /// When the peer last sent anything.
    private(set) var lastHeard: NIODeadline
    /// When it was asked, and has not answered yet.
    private var asked: NIODeadline?

    init(interval: Duration?, timeout: Duration, now: NIODeadline) {
        self.interval = interval.map { TimeAmount($0) }
        self.timeout = timeout
        self.lastHeard = now
    }

    /// The peer has sent something, whatever it is.
    mutating func heard(_ now: NIODeadline) { self.lastHeard = now }

    /// The peer has answered.
    mutating func answered() { self.asked = nil }

    /// Whether it was asked, and has sent nothing since.
    var isUnanswered: Bool { self.asked.map { self.lastHeard <= $0 } ?? false }

    /// When it is to be asked, if it stays silent.
    var deadline: NIODeadline? { self.interval.map { self.lastHeard + $0 } }

    /// Looks at the time while responses are outstanding.
    mutating func check(_ now: NIODeadline) -> Check {
        guard let deadline else { return .quiet(until: nil) }
        // Whatever the peer has sent since then shows that it is alive.
        if let asked, self.lastHeard > asked { self.asked = nil }
        if let asked {
            let end = asked + TimeAmount(self.timeout)
            return end <= now ? .dead(after: self.timeout) : .quiet(until: end)
        }
        guard deadline <= now else { return .quiet(until: deadline) }
        self.asked = now
        return .ping(until: now + TimeAmount(self.timeout))
    }
}
