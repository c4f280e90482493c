// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Deadlines and shutdown.
extension PoolState {
    /// Looks at every deadline.
    ///
    /// - Returns: The requests that have waited too long and the connections that have been idle, or have lived, too long.
    mutating func sweep(now: NIODeadline) -> (waiters: [Request], connections: [Connection]) {
        var late = [Request]()
        var stale = [Slot]()
        self.nextSweep = nil
        for lane in Array(self.lanes.values) {
            var kept = CircularBuffer<Waiter>(initialCapacity: lane.waiters.count)
            for waiter in lane.waiters where self.isWanted(waiter.request) {
                if let deadline = waiter.deadline, deadline <= now {
                    late.append(waiter.request)
                } else {
                    kept.append(waiter)
                }
            }
            lane.waiters = kept
            stale += lane.idle.filter { self.end(of: $0) <= now }
            if lane.isEmpty, !lane.isStarved { self.lanes[lane.key] = nil }
        }
        self.counters.waitedTooLong += late.count
        for slot in stale { self.retire(slot) }
        return (late, stale.map(\.connection))
    }

    /// The moment at which the next sweep should be scheduled, if it is earlier than the one that is scheduled already.
    mutating func sweepNeeded(after now: NIODeadline) -> NIODeadline? {
        // At most a little late: thousands of deadlines close together must not be as many looks at all of them.
        var earliest: NIODeadline?
        for lane in self.lanes.values {
            for waiter in lane.waiters { earliest = Self.earlier(earliest, waiter.deadline) }
            for slot in lane.idle { earliest = Self.earlier(earliest, self.end(of: slot)) }
        }
        return self.scheduleSweep(at: earliest.map { Swift.max($0, now + .milliseconds(5)) })
    }

    /// Notes that a sweep is wanted.
    ///
    /// - Returns: The moment, if no sweep is scheduled that early.
    mutating func scheduleSweep(at deadline: NIODeadline?) -> NIODeadline? {
        guard let deadline, self.nextSweep.map({ deadline < $0 }) ?? true else { return nil }
        self.nextSweep = deadline
        return deadline
    }

    /// When an idle connection has to close.
    func end(of slot: Slot) -> NIODeadline {
        let idle = slot.idleSince + self.rules.idleTimeout
        return self.rules.maximumAge.map { Swift.min(idle, slot.opened + $0) } ?? idle
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }

    /// Refuses new requests.
    ///
    /// - Parameter immediately: Whether requests that wait and connections in use end as well.
    /// - Returns: The requests that have to fail, and the connections to close.
    mutating func close(immediately: Bool) -> (waiters: [Request], connections: [Connection]) {
        self.isClosed = true
        var waiters = [Request]()
        var idle = [Slot]()
        for lane in self.lanes.values {
            idle += lane.idle
            guard immediately else { continue }
            waiters += lane.waiters.map(\.request)
            lane.waiters.removeAll()
        }
        for slot in idle { self.retire(slot) }
        return (waiters, immediately ? self.slots.values.map(\.connection) : idle.map(\.connection))
    }

    /// What the pool holds now, and what it has done so far.
    var statistics: NIOTransport.Statistics {
        var statistics = NIOTransport.Statistics(counters: self.counters)
        for lane in self.lanes.values {
            statistics.connecting += lane.connectingCount
            statistics.idle += lane.idle.count
            statistics.waiting += lane.waiters.count { self.isWanted($0.request) }
        }
        statistics.open = self.slots.count
        statistics.inFlight = self.slots.values.reduce(0) { $0 + $1.lentCount }
        statistics.started = self.counters.finishedUses + self.slots.values.reduce(0) { $0 + $1.useCount }
        return statistics
    }
}
