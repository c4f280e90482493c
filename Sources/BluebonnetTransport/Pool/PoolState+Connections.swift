// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The lifecycle of a connection: established, returned, retired, closed.
extension PoolState {
    /// The actions after a connection was established or its capacity changed.
    struct Opening {
        /// The requests to start on the connection.
        var requests = [Request]()
        /// Further connections to make.
        var dials = [Dial]()
        /// Whether the connection must be closed, because the pool is closed.
        var closes = false
    }

    /// The actions after an exchange has ended.
    struct Release {
        /// The request to start on the connection.
        var next: Request?
        /// Requests to pipeline behind it at once.
        var behind = [Request]()
        /// Whether the connection must be closed.
        var closes = false
        /// The connection to make for waiting requests, because this one takes no more.
        var dial: Dial?
    }

    /// The actions after a connection could not take an exchange that it was leased to.
    struct Postponement {
        /// Whether the request fails, because no request may wait any more.
        var isRefused = false
        /// Whether the connection must be closed.
        var closes = false
        /// The connection to make for waiting requests.
        var dial: Dial?
    }

    /// Adds an established connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - key: The key that it was made for.
    ///   - isShared: Whether it carries many exchanges at a time.
    ///   - capacity: The number of exchanges it carries at a time.
    ///   - isCapacityKnown: Whether its peer has announced that number.
    ///   - now: The current time.
    /// - Returns: The actions.
    mutating func connected(
        _ connection: Connection,
        key: PoolKey,
        isShared: Bool = false,
        capacity: Int = 1,
        isCapacityKnown: Bool = true,
        now: NIODeadline
    ) -> Opening {
        let lane = self.lane(key, sharing: isShared ? .always : .never)
        lane.sharing = isShared ? .always : .never
        lane.connectingCount -= 1
        self.endBackoff(lane)
        self.counters.opened += 1
        let slot = Slot(connection, lane: lane, opened: now, isShared: isShared, capacity: capacity)
        slot.isCapacityKnown = isCapacityKnown
        self.slots[ObjectIdentifier(connection)] = slot
        if isShared { lane.shared.append(slot) }
        return self.fill(slot, now: now)
    }

    /// The peer of a shared connection has announced how many exchanges it may carry at a time.
    mutating func changeCapacity(_ connection: Connection, to capacity: Int, now: NIODeadline) -> Opening {
        guard let slot = self.slots[ObjectIdentifier(connection)] else { return Opening() }
        slot.capacity = Swift.max(0, capacity)
        slot.isCapacityKnown = true
        guard !slot.isRetiring else { return Opening() }
        slot.lane.idle.removeAll { $0 === slot }
        return self.fill(slot, now: now)
    }

    /// Leases a connection to as many waiting requests as it can carry.
    private mutating func fill(_ slot: Slot, now: NIODeadline) -> Opening {
        var opening = Opening()
        while let waiter = self.takeWaiter(for: slot) {
            self.lend(slot, pipelines: waiter.pipelines)
            opening.requests.append(waiter.request)
        }
        // This is the lane's first connection, and the server has chosen its protocol: requests that waited for the
        // choice get their connections now.
        while let dial = self.nextDial(slot.lane) { opening.dials.append(dial) }
        guard slot.lentCount == 0 else { return opening }
        if self.endsWhenIdle(slot) || self.yields(slot.lane, serves: slot.capacity > 0) {
            self.retire(slot)
            opening.closes = true
        } else {
            self.idle(slot, now: now)
        }
        return opening
    }

    /// Takes back a connection that remains usable after an exchange.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - mayPipeline: Whether its last response shows that requests may be pipelined on it.
    ///   - idleLimit: How long its peer lets it be idle; nil if it has not said so.
    ///   - now: The current time.
    /// - Returns: The actions.
    mutating func release(
        _ connection: Connection,
        mayPipeline: Bool = false,
        idleLimit: TimeAmount? = nil,
        now: NIODeadline
    ) -> Release {
        guard let slot = self.slots[ObjectIdentifier(connection)] else { return Release() }
        slot.lentCount -= 1
        slot.mayPipeline = mayPipeline
        slot.idleLimit = idleLimit
        if slot.lentCount == 0 || !mayPipeline { self.endPipelining(slot) }
        if !slot.isRetiring, self.isWornOut(slot, now: now) { self.retire(slot) }
        if slot.isRetiring {
            // Waiting requests get another connection; this one finishes its current exchanges.
            return Release(closes: slot.lentCount == 0, dial: self.nextDial(slot.lane))
        }
        if slot.lentCount == 0, self.yields(slot.lane, serves: slot.capacity > 0) {
            self.retire(slot)
            return Release(closes: true)
        }
        if slot.lentCount == 0, self.makesWay(slot) {
            self.retire(slot)
            return Release(closes: true, dial: self.nextDial(slot.lane))
        }
        if let next = self.takeWaiter(for: slot) {
            self.lend(slot, pipelines: next.pipelines)
            var release = Release(next: next.request)
            while slot.isPipelining, let waiter = self.takeWaiter(for: slot) {
                self.lend(slot, pipelines: waiter.pipelines)
                release.behind.append(waiter.request)
            }
            release.dial = slot.isRetiring ? self.nextDial(slot.lane) : nil
            return release
        }
        guard slot.lentCount == 0 else { return Release() }
        if self.endsWhenIdle(slot) {
            self.retire(slot)
            return Release(closes: true)
        }
        self.idle(slot, now: now)
        return Release()
    }

    /// Whether a connection without an exchange is closed because the pool is closed.
    ///
    /// It is kept for a request that waits until its peer announces the capacity: the next connection would be no better.
    private func endsWhenIdle(_ slot: Slot) -> Bool {
        self.isClosed && (slot.isCapacityKnown || self.firstWaiter(slot.lane) == nil)
    }

    /// Whether a connection is closed in favour of a new one, because the next request was lost on a reused connection
    /// too.
    ///
    /// A server that closes each connection after a response does so at this very moment.
    private func makesWay(_ slot: Slot) -> Bool {
        !slot.isShared && !self.isHeldBack(slot.lane) && self.firstWaiter(slot.lane)?.isFresh ?? false
    }

    /// Enqueues a request again, before the others, because its connection cannot take it.
    ///
    /// A pool that was closed at once refuses it as it refuses new requests: its waiting requests have been ended.
    ///
    /// - Returns: The actions.
    mutating func postpone(
        _ request: Request,
        on connection: Connection,
        deadline: NIODeadline?,
        now: NIODeadline
    ) -> Postponement {
        guard let slot = self.slots[ObjectIdentifier(connection)] else { return Postponement() }
        slot.lentCount -= 1
        slot.useCount -= 1
        if self.endsWaiting {
            self.retire(slot)
            return Postponement(isRefused: true, closes: slot.lentCount == 0)
        }
        // Nothing may be left of the lane of a retired connection; the request waits where others will.
        let lane = self.lane(slot.lane.key, sharing: .always)
        self.enqueue(request, in: lane, deadline: deadline, pipelines: false, patience: nil, place: .first)
        guard slot.lentCount == 0, !slot.isRetiring else {
            return Postponement(closes: slot.isRetiring && slot.lentCount == 0, dial: self.nextDial(lane))
        }
        // The peer permits no exchange at all, so that no release follows which would find the connection idle.
        if self.isClosed || self.yields(lane, serves: slot.capacity > 0) {
            self.retire(slot)
            return Postponement(closes: true)
        }
        self.idle(slot, now: now)
        return Postponement(dial: self.nextDial(lane))
    }

    /// Whether a lane must release a connection to another lane, in which a request has waited longer.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - serves: Whether its own requests could use the connection; a shared connection may be open with no capacity.
    /// - Returns: Whether it must.
    mutating func yields(_ lane: Lane, serves: Bool) -> Bool {
        guard let (other, order) = self.longestStarved(), other !== lane else { return false }
        guard serves, let first = self.firstWaiter(lane) else { return true }
        return order < first.order
    }

    /// Returns the lane that has waited longest for a connection of another lane to close, and the order of its next request.
    mutating func longestStarved() -> (lane: Lane, order: Int)? {
        while let lane = self.starved.first {
            if self.wantsConnection(lane), let first = lane.waiters.first { return (lane, first.order) }
            self.starved.removeFirst()
            lane.isStarved = false
            self.forget(lane)
        }
        return nil
    }

    func isWornOut(_ slot: Slot, now: NIODeadline) -> Bool {
        if slot.useCount >= self.rules.maximumUses { return true }
        guard let age = self.rules.maximumAge else { return false }
        return slot.opened + age <= now
    }

    /// Marks a connection as idle.
    private mutating func idle(_ slot: Slot, now: NIODeadline) {
        slot.idleSince = now
        slot.lane.idle.append(slot)
        self.agenda.add(slot.lane, at: self.end(of: slot))
    }

    /// Retires a connection, because its peer announced it or it is too old: it takes no more exchanges.
    ///
    /// - Returns: Whether it must be closed now, and the connection to make in its place.
    mutating func retire(_ connection: Connection) -> (Bool, Dial?) {
        guard let slot = self.slots[ObjectIdentifier(connection)], !slot.isRetiring else { return (false, nil) }
        self.retire(slot)
        return (slot.lentCount == 0, self.nextDial(slot.lane))
    }

    mutating func retire(_ slot: Slot) {
        guard !slot.isRetiring else { return }
        slot.isRetiring = true
        slot.lane.openCount -= 1
        slot.lane.idle.removeAll { $0 === slot }
        slot.lane.shared.removeAll { $0 === slot }
        self.endPipelining(slot)
    }

    /// Removes a connection that was closed, by either side.
    ///
    /// - Returns: The connection to make for waiting requests.
    mutating func closed(_ connection: Connection) -> Dial? {
        guard let slot = self.slots.removeValue(forKey: ObjectIdentifier(connection)) else { return nil }
        self.retire(slot)
        self.totalCount -= 1
        self.counters.closed += 1
        self.counters.finishedUses += slot.useCount
        return self.dialAfterLoss(of: slot.lane)
    }

    /// Returns the connection to make after the total has fallen: for the request that has waited longest.
    private mutating func dialAfterLoss(of lane: Lane) -> Dial? {
        if self.yields(lane, serves: true), let dial = self.nextStarvedDial() {
            if self.wantsConnection(lane) { self.starve(lane) }
            self.forget(lane)
            return dial
        }
        if let dial = self.nextDial(lane) { return dial }
        self.forget(lane)
        return self.nextStarvedDial()
    }

    /// Whether a lane needs one more connection and its own limit allows it.
    private func wantsConnection(_ lane: Lane) -> Bool {
        self.firstWaiter(lane) != nil && lane.waiters.count > lane.connectingCount && self.mayConnect(lane)
    }

    /// Handles a failed connection attempt.
    ///
    /// - Parameters:
    ///   - key: The key of the attempt.
    ///   - counts: Whether a later attempt may succeed.
    ///   - jitter: The position of the next attempt in the range of the delay, from 0 to 1.
    ///   - now: The current time.
    ///   - spares: Whether a request is unaffected: the attempt ran into a limit shorter than its own.
    /// - Returns: The requests that fail with it, and the connection to make instead. An attempt that was made for many
    ///   requests, as in a back-off, fails all that are not spared, unless they can wait for an established connection;
    ///   any other attempt fails the one of them that has waited longest, and another attempt is made for the next.
    mutating func connectFailed(
        key: PoolKey,
        counts: Bool = true,
        jitter: Double = 0,
        now: NIODeadline,
        sparing spares: (Request) -> Bool = { _ in false }
    ) -> ([Request], Dial?) {
        guard let lane = self.lanes[key] else { return ([], nil) }
        lane.openCount -= 1
        lane.connectingCount -= 1
        self.totalCount -= 1
        self.counters.failed += 1
        let isRetry = lane.backoff.map { !$0.isHolding } ?? false
        let isAlone = lane.openCount == lane.connectingCount
        let failed = self.takeFailed(lane, all: isAlone && (lane.sharing != .never || isRetry), sparing: spares)
        let isShort = lane.waiters.contains { self.isWanted($0.request) && spares($0.request) }
        // An attempt with a shorter limit than other requests have does not predict the next one.
        if counts, !isShort {
            self.beginBackoff(lane, jitter: jitter, now: now)
        } else if isRetry, !isShort {
            self.endBackoff(lane)
        }
        return (failed, self.dialAfterLoss(of: lane))
    }

    /// Removes and returns the requests of a lane that fail with an attempt: all of them, or the one that has waited
    /// longest.
    private func takeFailed(_ lane: Lane, all: Bool, sparing spares: (Request) -> Bool) -> [Request] {
        if all {
            self.removeUnwanted(lane)
            let waiters = lane.waiters
            lane.waiters = CircularBuffer(waiters.filter { spares($0.request) })
            return waiters.map(\.request).filter { !spares($0) }
        }
        _ = self.firstWaiter(lane)
        let index = lane.waiters.firstIndex { self.isWanted($0.request) && !spares($0.request) }
        return index.map { [lane.waiters.remove(at: $0).request] } ?? []
    }

    /// Returns the connection that a lane needs next, if the limits allow it.
    mutating func nextDial(_ lane: Lane) -> Dial? {
        guard self.wantsConnection(lane), let request = self.nextInNeed(lane) else { return nil }
        var victim: Slot?
        if self.totalCount >= self.rules.maximumTotal {
            guard let oldest = self.oldestIdle() else {
                self.starve(lane)
                return nil
            }
            self.retire(oldest)
            victim = oldest
        }
        self.beginConnecting(lane)
        return Dial(key: lane.key, request: request, closing: victim?.connection)
    }

    /// Returns the request that the next connection of a lane is made for: the first for which none is being made.
    ///
    /// Requests that are no longer wanted count among those for which one is being made, so that not all of them have
    /// to be looked at for each connection.
    private func nextInNeed(_ lane: Lane) -> Request? {
        let others = lane.waiters.dropFirst(lane.connectingCount)
        return (others.first { self.isWanted($0.request) } ?? lane.waiters.first)?.request
    }

    /// Returns the connection that another lane needs, after the total has fallen.
    private mutating func nextStarvedDial() -> Dial? {
        while self.totalCount < self.rules.maximumTotal, let lane = self.starved.popFirst() {
            lane.isStarved = false
            if let dial = self.nextDial(lane) {
                if self.wantsConnection(lane) { self.starve(lane) }
                return dial
            }
            self.forget(lane)
        }
        return nil
    }

    mutating func forget(_ lane: Lane) {
        guard lane.isEmpty, !lane.isStarved else { return }
        self.agenda.remove(lane)
        // Another lane may have replaced it while its last connections were still closing.
        if self.lanes[lane.key] === lane { self.lanes[lane.key] = nil }
    }

    /// Starts a connection before a request needs it, regardless of earlier failures.
    ///
    /// - Returns: Whether the limits allow it.
    mutating func warmUp(_ key: PoolKey, sharing: Sharing) -> Bool {
        guard !self.isClosed, self.totalCount < self.rules.maximumTotal else { return false }
        let lane = self.lane(key, sharing: sharing)
        guard self.hasRoom(lane) else { return false }
        self.beginConnecting(lane)
        return true
    }
}
