// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The state of the pool and its decisions.
///
/// It is pure: it takes values and returns actions, without I/O and without resuming anyone.
///
/// Connections with the same key form a lane, with one fair queue. A connection is leased to one exchange at a time;
/// with HTTP/2, to as many as its peer allows. The type is generic over connection and request so that tests can use
/// plain values.
struct PoolState<Connection: AnyObject, Request>: ~Copyable {
    /// The limits of a pool.
    struct Rules {
        /// The maximum number of connections per key.
        var maximumPerKey = 16
        /// The maximum number of connections in total.
        var maximumTotal = Int.max
        /// How long a connection may be idle.
        var idleTimeout = TimeAmount.seconds(60)
        /// The age at which a connection is no longer leased.
        var maximumAge: TimeAmount?
        /// The number of exchanges after which a connection is no longer leased.
        var maximumUses = Int.max
        /// The maximum number of pipelined requests per connection at a time.
        var maximumPipelineDepth = 4
        /// The back-off of a lane after a failed connection attempt; nil for none.
        var backoff: NIOTransport.ConnectBackoff?
    }

    /// Whether connections of a lane carry many exchanges at a time.
    enum Sharing {
        case never
        case always
        /// The server decides (ALPN), and no connection has been made yet.
        case unknown
    }

    /// An open connection.
    final class Slot {
        let connection: Connection
        let lane: Lane
        let opened: NIODeadline
        let isShared: Bool
        /// The number of exchanges it may carry at a time.
        var capacity: Int
        /// Whether its peer has announced that number.
        var isCapacityKnown = true
        /// The number of exchanges it carries now.
        var lentCount = 0
        var useCount = 0
        var idleSince = NIODeadline.uptimeNanoseconds(0)
        /// How long its peer lets it be idle.
        var idleLimit: TimeAmount?
        /// Whether its last response shows that requests may be pipelined on it.
        var mayPipeline = false
        /// Set while all its requests may be pipelined; see ``PoolState/joinable(_:)``.
        var isPipelining = false
        /// Set when it finishes its current exchanges and takes no more.
        var isRetiring = false

        init(_ connection: Connection, lane: Lane, opened: NIODeadline, isShared: Bool, capacity: Int) {
            self.connection = connection
            self.lane = lane
            self.opened = opened
            self.isShared = isShared
            self.capacity = capacity
        }
    }

    /// The connections and the queue of one key.
    final class Lane {
        let key: PoolKey
        var sharing: Sharing
        /// Connections without an exchange, the most recently used last; shared ones are in ``shared`` too.
        var idle = [Slot]()
        /// Shared connections that may take more exchanges.
        var shared = [Slot]()
        /// Connections that carry pipelined requests, whether or not they have room for more.
        var pipelining = [Slot]()
        /// The number of open and connecting connections, without the retiring ones.
        var openCount = 0
        var connectingCount = 0
        var waiters = CircularBuffer<Waiter>()
        /// Whether the lane waits for a connection of another lane to close.
        var isStarved = false
        /// Whether the lane's requests may wait beside room on a shared connection; see ``PoolState/giveWay(_:)``.
        var isGivingWay = false
        /// The queue length at which requests that are no longer wanted are next removed.
        var compactAt = 64
        /// Set after a failed attempt to connect.
        var backoff: LaneBackoff?
        /// The next deadline of the lane, and its index in the ``Agenda``.
        var due = NIODeadline.distantFuture
        var place: Int?

        init(key: PoolKey, sharing: Sharing) {
            self.key = key
            self.sharing = sharing
        }

        var isEmpty: Bool {
            self.idle.isEmpty && self.openCount == 0 && self.waiters.isEmpty && self.backoff == nil
        }
    }

    /// A connection to make, with the limits of the request that waits for it.
    struct Dial {
        let key: PoolKey
        let request: Request
        /// An idle connection with another key that is closed to make room for it.
        var closing: Connection?
    }

    enum SubmitAction {
        case start(Connection)
        /// A connection must be made; an idle one is closed to make room for it.
        case connect(closing: Connection?)
        case wait
        case refuse
    }

    var lanes = [PoolKey: Lane]()
    /// Every open connection.
    var slots = [ObjectIdentifier: Slot]()
    /// Lanes that wait for the total to fall, in order of arrival.
    var starved = CircularBuffer<Lane>()
    /// Lanes whose shared connections take no more requests, so that they become free for a lane that waits.
    var givingWay = [Lane]()
    /// The order of the starved request for which those lanes were last told to wait; 0 for none.
    var lastLongest = 0
    /// The number of open and connecting connections, for all keys.
    var totalCount = 0
    /// The number of lanes with a back-off.
    var backoffCount = 0
    /// Whether new requests are refused and connections are closed as they become free.
    var isClosed = false
    /// Whether waiting requests were ended, too, so that none may wait any more.
    var endsWaiting = false
    /// The number of requests that have waited so far.
    var waiterCount = 0
    /// The lanes that have a deadline.
    var agenda = Agenda()
    /// When sweeps are scheduled, the earliest last.
    ///
    /// A scheduled sweep is kept when an earlier one is scheduled, and is not scheduled again after that. So there is
    /// at most one for each time limit in use.
    var scheduledSweeps = [NIODeadline]()
    /// The totals so far.
    var counters = PoolCounters()
    /// The requests that are no longer wanted, until the lock is released.
    let discarded = Discarded()
    /// Retired connections without an exchange, to be closed after the lock is released.
    var expired = [Connection]()

    let rules: Rules
    let isWanted: (Request) -> Bool
    let needsKnownCapacity: (Request) -> Bool

    /// - Parameters:
    ///   - rules: The limits.
    ///   - isWanted: Whether the caller of a request still waits for it.
    ///   - needsKnownCapacity: Whether a request waits until the peer has announced the capacity of its connection.
    init(
        rules: Rules,
        isWanted: @escaping (Request) -> Bool,
        needsKnownCapacity: @escaping (Request) -> Bool = { _ in false }
    ) {
        (self.rules, self.isWanted, self.needsKnownCapacity) = (rules, isWanted, needsKnownCapacity)
    }

    // MARK: Requests

    /// Assigns a connection to a new request, or enqueues it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The key that its connection must match.
    ///   - sharing: Whether connections with a new key may be shared.
    ///   - pipelines: Whether the request may be pipelined.
    ///   - fresh: Whether an idle connection is unsuitable, because one has just turned out to be dead.
    ///   - patience: How long a back-off may delay the request.
    ///   - now: The current time.
    ///   - deadline: Returns the deadline for waiting.
    /// - Returns: The action.
    mutating func submit(
        _ request: Request,
        key: PoolKey,
        sharing: Sharing = .never,
        pipelines: Bool = false,
        fresh: Bool = false,
        patience: TimeAmount? = nil,
        now: NIODeadline,
        deadline: (AwaitedConnection) -> NIODeadline?
    ) -> SubmitAction {
        guard !self.isClosed else { return .refuse }
        let lane = self.lane(key, sharing: sharing)
        self.updateBackoff(lane, now: now)
        if let slot = self.takeSlot(of: lane, for: request, pipelines: pipelines, fresh: fresh, now: now) {
            self.lend(slot, pipelines: pipelines)
            return .start(slot.connection)
        }
        if lane.waiters.count >= lane.compactAt {
            self.removeUnwanted(lane)
            lane.compactAt = Swift.max(64, lane.waiters.count * 2)
        }
        // A fresh connection replaces an idle one, which may be as dead as the previous one.
        let isHeldBack = self.isHeldBack(lane)
        let own = fresh && lane.sharing == .never && !isHeldBack && !self.hasRoom(lane) ? lane.idle.first : nil
        let connects = own != nil || self.mayConnect(lane)
        let isFull = self.totalCount >= self.rules.maximumTotal
        let victim = own ?? (connects && isFull ? self.oldestIdle() : nil)
        let hasRoom = !isFull || victim != nil
        self.enqueue(
            request,
            in: lane,
            deadline: deadline((connects || isHeldBack) && hasRoom ? .made : .free),
            attemptDeadline: self.sharesAttempt(lane) ? deadline(.shared) : nil,
            pipelines: pipelines,
            patience: patience,
            place: fresh ? .firstAndFresh : .last
        )
        self.hold(patience, in: lane, now: now)
        // That the other lane's request is not wanted any more shows only when the pool looks.
        if lane.isGivingWay { self.agenda.add(lane, at: now + .seconds(1)) }
        guard connects else { return .wait }
        guard hasRoom else {
            self.starve(lane)
            return .wait
        }
        if let victim { self.retire(victim) }
        self.beginConnecting(lane)
        return .connect(closing: victim?.connection)
    }

    /// Whether the requests of a lane wait together for one connection that is being made.
    func sharesAttempt(_ lane: Lane) -> Bool { lane.sharing != .never && lane.connectingCount > 0 }

    /// Returns the lane of a key.
    mutating func lane(_ key: PoolKey, sharing: Sharing) -> Lane {
        if let lane = self.lanes[key] { return lane }
        let lane = Lane(key: key, sharing: sharing)
        self.lanes[key] = lane
        return lane
    }

    /// Removes and returns a connection that can take one more exchange.
    private mutating func takeSlot(
        of lane: Lane,
        for request: Request,
        pipelines: Bool,
        fresh: Bool,
        now: NIODeadline
    ) -> Slot? {
        while let slot = lane.shared.first(where: { self.hasRoom($0, for: request) }) {
            if self.retireExpired(slot, now: now) { continue }
            guard slot.lentCount > 0 else {
                lane.idle.removeAll { $0 === slot }
                return slot
            }
            // A busy connection must become free for a request of another lane that has waited longer; its lane's own
            // queue is not overtaken either.
            let isQueued = lane.isGivingWay && self.firstWaiter(lane) != nil
            guard !isQueued, !self.yields(lane, serves: true) else {
                self.giveWay(lane)
                return nil
            }
            return slot
        }
        guard !fresh, lane.sharing != .always else { return nil }
        // The most recently used connection is the least likely to be dead.
        while let slot = lane.idle.popLast() {
            if !self.retireExpired(slot, now: now) { return slot }
        }
        return pipelines ? self.joinable(lane) : nil
    }

    mutating func lend(_ slot: Slot, pipelines: Bool) {
        slot.lentCount += 1
        slot.useCount += 1
        // A connection that carries one exchange at a time is checked when it is returned.
        if slot.isShared, slot.useCount >= self.rules.maximumUses { self.retire(slot) }
        if pipelines { self.beginPipelining(slot) }
    }

    /// Whether a lane's own limit and its back-off allow another connection.
    func mayConnect(_ lane: Lane) -> Bool { self.hasRoom(lane) && !self.isHeldBack(lane) }

    /// Whether a lane's own limit allows another connection.
    func hasRoom(_ lane: Lane) -> Bool {
        switch lane.sharing {
        case .never: lane.openCount < Swift.max(1, self.rules.maximumPerKey)
        // One connection carries everything; if the server has not selected a protocol yet, the first connection
        // decides.
        case .always, .unknown: lane.openCount == 0
        }
    }

    mutating func beginConnecting(_ lane: Lane) {
        lane.openCount += 1
        lane.connectingCount += 1
        self.totalCount += 1
    }

    mutating func starve(_ lane: Lane) {
        guard !lane.isStarved else { return }
        lane.isStarved = true
        self.starved.append(lane)
    }

    /// Returns the connection that has been idle longest, of all lanes.
    func oldestIdle() -> Slot? {
        self.lanes.values.compactMap(\.idle.first).min { $0.idleSince < $1.idleSince }
    }

    /// Returns the connections that were retired without an exchange, and are closed outside the lock.
    mutating func takeExpired() -> [Connection] {
        if self.expired.isEmpty { return [] }
        defer { self.expired = [] }
        return self.expired
    }
}
