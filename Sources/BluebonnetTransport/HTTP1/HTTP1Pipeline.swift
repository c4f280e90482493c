// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The exchanges in line behind the one in progress on a connection: their requests were sent, and their responses will come in this order
/// (RFC 9112 section 9.3.2).
///
/// Where nothing is pipelined it is empty and costs nothing. It is never longer than the pool lets it become, and there is always an
/// exchange in progress before it. An exchange leaves it when its response is the next, or together with all others when the
/// connection ends. A cancelled exchange keeps its place, because its response will come.
struct HTTP1Pipeline {
    typealias Entry = HTTP1Handler.Active

    private var entries = [Entry]()

    var isEmpty: Bool { self.entries.isEmpty }

    /// A request was sent behind all others.
    mutating func append(_ entry: Entry) {
        self.entries.append(entry)
    }

    /// The response before the line has ended: takes out the one whose response comes now.
    mutating func next() -> Entry? {
        self.entries.isEmpty ? nil : self.entries.removeFirst()
    }

    /// No response will come to those in line.
    mutating func removeAll() -> [Entry] {
        defer { self.entries = [] }
        return self.entries
    }

    /// Drops the response of an exchange, if it is in line.
    func drop(_ exchange: Exchange) {
        self.entries.first { $0.exchange === exchange }?.isDropped = true
    }

    /// When the first of those in line has waited for too long.
    var deadline: NIODeadline? {
        var earliest: NIODeadline?
        for entry in self.entries where !entry.isDropped {
            for case let deadline? in [entry.lineDeadline, entry.totalDeadline] {
                earliest = Swift.min(deadline, earliest ?? deadline)
            }
        }
        return earliest
    }

    /// Answers those that have waited for too long; they are dropped.
    func failLate(now: NIODeadline) {
        for entry in self.entries where !entry.isDropped {
            if let total = entry.totalDeadline, total <= now {
                entry.isDropped = true
                entry.response.fail(.late(.total, "the exchange took longer than its limit in all"))
            } else if let deadline = entry.lineDeadline, deadline <= now {
                entry.isDropped = true
                entry.response.fail(.late(.queue, "the responses before it on its connection did not end in time"))
            }
        }
    }
}
