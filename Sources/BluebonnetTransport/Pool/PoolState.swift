// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What the pool knows, and its decisions: values in, actions out, no input or output and no resuming.
///
/// Generic over connection and request so that tests can drive it with plain values.
struct PoolState<Connection: AnyObject, Request>: ~Copyable {
    struct Waiter {
        let request: Request
        let deadline: NIODeadline?
    }

    struct Idle {
        let connection: Connection
        let since: NIODeadline
    }

    /// The connections and the queue of one key.
    struct Lane {
        var idle = [Idle]()
        /// Open connections and those being opened.
        var openCount = 0
        var connectingCount = 0
        var waiters = CircularBuffer<Waiter>()
        /// The length of the queue at which it is next cleared of requests that nobody waits for any more.
        var compactAt = 64

        var isEmpty: Bool { self.idle.isEmpty && self.openCount == 0 && self.waiters.isEmpty }
    }

    enum SubmitAction {
        case start(Connection)
        case connect
        case wait
        case refuse
    }

    private(set) var lanes = [PoolKey: Lane]()
    /// Every open connection, idle or not.
    private(set) var connections = [ObjectIdentifier: Connection]()
    /// Whether new requests are refused and connections close as they become free.
    private(set) var isClosed = false
    /// When the next look at deadlines is due.
    private(set) var nextSweep: NIODeadline?

    private let maximumPerKey: Int
    private let idleTimeout: TimeAmount
    private let isWanted: (Request) -> Bool

    /// - Parameters:
    ///   - maximumPerKey: The connections to one key.
    ///   - idleTimeout: How long a connection may be idle.
    ///   - isWanted: Whether somebody still waits for a request.
    init(maximumPerKey: Int, idleTimeout: TimeAmount, isWanted: @escaping (Request) -> Bool) {
        self.maximumPerKey = Swift.max(1, maximumPerKey)
        self.idleTimeout = idleTimeout
        self.isWanted = isWanted
    }

    /// A request came in: it gets a connection, or waits for one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: What its connection has to match.
    ///   - fresh: Whether an idle connection will not do, because one has just turned out to be dead.
    ///   - deadline: When waiting has taken too long; told whether a connection is being made for the request.
    /// - Returns: What to do.
    mutating func submit(
        _ request: Request,
        key: PoolKey,
        fresh: Bool = false,
        deadline: (_ connects: Bool) -> NIODeadline?
    ) -> SubmitAction {
        guard !self.isClosed else { return .refuse }
        if !fresh, let idle = self.lanes[key]?.idle.popLast() { return .start(idle.connection) }
        var lane = self.lanes.removeValue(forKey: key) ?? Lane()
        defer { self.lanes[key] = lane }
        let connects = lane.openCount < self.maximumPerKey
        if lane.waiters.count >= lane.compactAt {
            lane.waiters = CircularBuffer(lane.waiters.filter { self.isWanted($0.request) })
            lane.compactAt = Swift.max(64, lane.waiters.count * 2)
        }
        let waiter = Waiter(request: request, deadline: deadline(connects))
        if fresh { lane.waiters.prepend(waiter) } else { lane.waiters.append(waiter) }
        guard connects else { return .wait }
        lane.openCount += 1
        lane.connectingCount += 1
        return .connect
    }

    /// A connection was made.
    ///
    /// - Returns: The request to start on it; nil if it is idle now, or has to be closed because the pool is.
    mutating func connected(_ connection: Connection, key: PoolKey, now: NIODeadline) -> Request? {
        self.connections[ObjectIdentifier(connection)] = connection
        self.lanes[key]?.connectingCount -= 1
        return self.release(connection, key: key, now: now)
    }

    /// A connection is free.
    ///
    /// - Returns: The request to start on it.
    mutating func release(_ connection: Connection, key: PoolKey, now: NIODeadline) -> Request? {
        guard var lane = self.lanes.removeValue(forKey: key) else { return nil }
        defer { self.lanes[key] = lane }
        if let waiter = self.popWaiter(&lane) { return waiter.request }
        if !self.isClosed { lane.idle.append(Idle(connection: connection, since: now)) }
        return nil
    }

    /// A connection was closed, by whichever side.
    ///
    /// - Returns: Whether another one has to be made for the requests that wait.
    mutating func closed(_ connection: Connection, key: PoolKey) -> Bool {
        guard self.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return false }
        guard var lane = self.lanes.removeValue(forKey: key) else { return false }
        lane.openCount -= 1
        lane.idle.removeAll { $0.connection === connection }
        return self.replace(lane, key: key)
    }

    /// A connection could not be made.
    ///
    /// - Returns: The request that fails with it (the one that waits longest), and whether another attempt has to be made.
    mutating func connectFailed(key: PoolKey) -> (failed: Request?, connects: Bool) {
        guard var lane = self.lanes.removeValue(forKey: key) else { return (nil, false) }
        lane.openCount -= 1
        lane.connectingCount -= 1
        let failed = self.popWaiter(&lane)?.request
        return (failed, self.replace(lane, key: key))
    }

    /// Closes the pool.
    ///
    /// - Returns: The requests that waited, and the connections to close: the idle ones, or all.
    mutating func close(onlyIdle: Bool) -> (waiters: [Request], connections: [Connection]) {
        self.isClosed = true
        var waiters = [Request]()
        var idle = [Connection]()
        for key in Array(self.lanes.keys) {
            waiters += self.lanes[key]?.waiters.map(\.request) ?? []
            self.lanes[key]?.waiters.removeAll()
            idle += self.lanes[key]?.idle.map(\.connection) ?? []
            self.lanes[key]?.idle.removeAll()
        }
        return (waiters, onlyIdle ? idle : Array(self.connections.values))
    }

    /// Looks at every deadline.
    ///
    /// - Returns: The requests that have waited too long and the connections that have been idle too long.
    mutating func sweep(now: NIODeadline) -> (waiters: [Request], connections: [Connection]) {
        var late = [Request]()
        var stale = [Connection]()
        self.nextSweep = nil
        for key in Array(self.lanes.keys) {
            guard var lane = self.lanes.removeValue(forKey: key) else { continue }
            var kept = CircularBuffer<Waiter>(initialCapacity: lane.waiters.count)
            for waiter in lane.waiters where self.isWanted(waiter.request) {
                if let deadline = waiter.deadline, deadline <= now {
                    late.append(waiter.request)
                } else {
                    kept.append(waiter)
                }
            }
            lane.waiters = kept
            stale += lane.idle.filter { $0.since + self.idleTimeout <= now }.map(\.connection)
            lane.idle.removeAll { $0.since + self.idleTimeout <= now }
            if !lane.isEmpty { self.lanes[key] = lane }
        }
        return (late, stale)
    }

    /// The moment at which the next sweep should be scheduled, if it is earlier than the one that is scheduled already.
    mutating func sweepNeeded(now: NIODeadline) -> NIODeadline? {
        // A sweep is never earlier than asked for and at most a little late: deadlines are looked at in steps.
        var earliest: NIODeadline?
        for lane in self.lanes.values {
            for waiter in lane.waiters { earliest = Self.earlier(earliest, waiter.deadline) }
            if let oldest = lane.idle.first { earliest = Self.earlier(earliest, oldest.since + self.idleTimeout) }
        }
        return self.scheduleSweep(at: earliest)
    }

    /// Notes that a sweep is wanted.
    ///
    /// - Returns: The moment, if no sweep is scheduled that early.
    mutating func scheduleSweep(at deadline: NIODeadline?) -> NIODeadline? {
        guard let deadline, self.nextSweep.map({ deadline < $0 }) ?? true else { return nil }
        self.nextSweep = deadline
        return deadline
    }

    private static func earlier(_ left: NIODeadline?, _ right: NIODeadline?) -> NIODeadline? {
        guard let left, let right else { return left ?? right }
        return Swift.min(left, right)
    }

    private func popWaiter(_ lane: inout Lane) -> Waiter? {
        while let waiter = lane.waiters.popFirst() {
            if self.isWanted(waiter.request) { return waiter }
        }
        return nil
    }

    /// Puts a lane back that has lost a connection, and says whether it needs another one.
    private mutating func replace(_ lane: consuming Lane, key: PoolKey) -> Bool {
        var lane = lane
        while let first = lane.waiters.first, !self.isWanted(first.request) { lane.waiters.removeFirst() }
        let connects =
            !self.isClosed && lane.waiters.count > lane.connectingCount && lane.openCount < self.maximumPerKey
        if connects {
            lane.openCount += 1
            lane.connectingCount += 1
        }
        if !lane.isEmpty { self.lanes[key] = lane }
        return connects
    }
}
