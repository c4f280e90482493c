// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Deadlines and shutdown.
extension PoolState {
    /// The result of a sweep.
    struct Sweep {
        /// The requests that have waited too long for a connection.
        var waiters = [Request]()
        /// The connections that have been idle or open for too long.
        var connections = [Connection]()
        /// The connections to make, because the back-off of a lane is over.
        var dials = [Dial]()
    }

    /// Checks the deadlines of the lanes that are due, and of no other lane.
    mutating func sweep(now: NIODeadline) -> Sweep {
        var sweep = Sweep()
        while let scheduled = self.scheduledSweeps.last, scheduled <= now { self.scheduledSweeps.removeLast() }
        while let lane = self.agenda.popFirst(due: now) {
            self.sweep(lane, now: now, into: &sweep)
            // Slightly late, so that thousands of deadlines close together do not cause as many sweeps.
            if let next = self.nextDeadline(of: lane, now: now) {
                self.agenda.add(lane, at: Swift.max(next, now + .milliseconds(5)))
            }
            self.forget(lane)
        }
        self.counters.waitedTooLong += sweep.waiters.count
        return sweep
    }

    private mutating func sweep(_ lane: Lane, now: NIODeadline, into sweep: inout Sweep) {
        self.removeUnwanted(lane)
        var kept = CircularBuffer<Waiter>(initialCapacity: lane.waiters.count)
        for waiter in lane.waiters {
            if let deadline = self.deadline(of: waiter, in: lane), deadline <= now {
                sweep.waiters.append(waiter.request)
            } else {
                kept.append(waiter)
            }
        }
        lane.waiters = kept
        for slot in lane.idle where self.end(of: slot) <= now {
            self.retire(slot)
            sweep.connections.append(slot.connection)
        }
        self.updateBackoff(lane, now: now)
        while let dial = self.nextDial(lane) { sweep.dials.append(dial) }
    }

    /// Returns the next deadline of a lane.
    private func nextDeadline(of lane: Lane, now: NIODeadline) -> NIODeadline? {
        var earliest: NIODeadline?
        if let backoff = lane.backoff {
            // While its requests wait for an attempt, or for capacity to make one, the back-off need not be forgotten
            // soon.
            earliest = backoff.isHolding ? backoff.release : Swift.max(backoff.end, now + .seconds(1))
        }
        if lane.isGivingWay { earliest = .earlier(earliest, now + .seconds(1)) }
        for waiter in lane.waiters { earliest = .earlier(earliest, self.deadline(of: waiter, in: lane)) }
        for slot in lane.idle { earliest = .earlier(earliest, self.end(of: slot)) }
        return earliest
    }

    private func deadline(of waiter: Waiter, in lane: Lane) -> NIODeadline? {
        .earlier(waiter.deadline, self.sharesAttempt(lane) ? waiter.attemptDeadline : nil)
    }

    /// Returns when a sweep must be scheduled; nil if one is scheduled early enough.
    mutating func scheduleSweep() -> NIODeadline? {
        guard let earliest = self.agenda.earliest, self.scheduledSweeps.last.map({ earliest < $0 }) ?? true else {
            return nil
        }
        self.scheduledSweeps.append(earliest)
        return earliest
    }

    /// Returns when an idle connection must be closed.
    func end(of slot: Slot) -> NIODeadline {
        let limit = slot.idleLimit.map { Swift.min($0, self.rules.idleTimeout) } ?? self.rules.idleTimeout
        let idle = slot.idleSince + limit
        return self.rules.maximumAge.map { Swift.min(idle, slot.opened + $0) } ?? idle
    }

    /// Retires a connection that has been open or idle for too long.
    ///
    /// The sweep for it may be late: its timer does not run while the process is stopped.
    ///
    /// - Returns: Whether it has been.
    mutating func retireExpired(_ slot: Slot, now: NIODeadline) -> Bool {
        guard slot.lentCount > 0 ? self.isWornOut(slot, now: now) : self.end(of: slot) <= now else { return false }
        self.retire(slot)
        if slot.lentCount == 0 { self.expired.append(slot.connection) }
        return true
    }

    /// Retires the connections that may be as dead as one that stayed silent until an exchange on it exceeded a limit.
    ///
    /// That is the connection itself, and those of its lane that have carried nothing since the silence began. After a
    /// change of this machine's address, or behind a middlebox that has forgotten them, they fail in the same way, each
    /// for an attempt of its own.
    ///
    /// - Returns: The connection to make for waiting requests.
    mutating func retireSilent(_ connection: Connection, since silence: NIODeadline) -> Dial? {
        guard let slot = self.slots[ObjectIdentifier(connection)] else { return nil }
        self.retire(slot)
        for idle in slot.lane.idle where idle.idleSince <= silence {
            self.retire(idle)
            self.expired.append(idle.connection)
        }
        return self.nextDial(slot.lane)
    }

    /// Refuses new requests.
    ///
    /// - Parameter immediately: Whether to end waiting requests and active connections as well.
    /// - Returns: The requests that fail, and the connections to close.
    mutating func close(immediately: Bool) -> (waiters: [Request], connections: [Connection]) {
        self.isClosed = true
        if immediately { self.endsWaiting = true }
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

    /// Whether the pool is closed, and no connection or waiting request remains.
    var isDrained: Bool {
        self.isClosed && self.totalCount == 0 && !self.lanes.values.contains { self.firstWaiter($0) != nil }
    }

    /// The current state of the pool, and its totals so far.
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
