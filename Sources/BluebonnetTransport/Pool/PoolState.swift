// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What the pool knows, and its decisions: values in, actions out, no input or output and no resuming.
///
/// Connections to one key form a lane, with one fair queue. A connection is lent to one exchange at a time, or to as many as its peer
/// allows where the protocol shares connections (HTTP/2). Generic over connection and request so that tests can drive it with plain
/// values.
struct PoolState<Connection: AnyObject, Request>: ~Copyable {
    /// The limits of a pool.
    struct Rules {
        /// The connections to one key.
        var maximumPerKey = 16
        /// The connections to all keys together.
        var maximumTotal = Int.max
        /// How long a connection may be idle.
        var idleTimeout = TimeAmount.seconds(60)
        /// How old a connection may become before it is no longer lent.
        var maximumAge: TimeAmount?
        /// How many exchanges a connection may carry before it is no longer lent.
        var maximumUses = Int.max
        /// How many pipelined requests a connection may carry at a time.
        var maximumPipelineDepth = 4
        /// How long a lane waits after a failed attempt to connect; nil if it does not.
        var backoff: NIOTransport.ConnectBackoff?
    }

    struct Waiter {
        let request: Request
        let deadline: NIODeadline?
        /// Whether it may be sent behind others of its kind.
        let pipelines: Bool
        /// Whether it waits for a connection that has served nobody, because one that had was dead.
        let isFresh: Bool
        /// How long it may be held back after a failed attempt to connect; nil for as long as that takes.
        let patience: TimeAmount?
        /// Its place among the requests of all lanes.
        let order: Int
    }

    /// Where a request waits.
    enum WaiterPlace {
        case last
        case first
        /// Before the others, and not for a connection that has served somebody.
        case firstAndFresh
    }

    /// Whether connections of a lane carry many exchanges at a time.
    enum Sharing {
        case never
        case always
        /// The peer decides (ALPN), and has not been asked yet.
        case unknown
    }

    /// One open connection.
    final class Slot {
        let connection: Connection
        let lane: Lane
        let opened: NIODeadline
        let isShared: Bool
        /// How many exchanges it may carry at a time.
        var capacity: Int
        /// How many it carries now.
        var lentCount = 0
        var useCount = 0
        var idleSince = NIODeadline.uptimeNanoseconds(0)
        /// Whether its last response has shown that requests may be sent behind one another on it.
        var mayPipeline = false
        /// Set while all that it carries may be sent behind one another; see ``PoolState/joinable(_:)``.
        var isPipelining = false
        /// Set when it finishes what it carries and takes nothing more.
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
        /// Connections that carry nothing, the one that was idle last at the end; shared ones are in ``shared`` too.
        var idle = [Slot]()
        /// Shared connections that may take more.
        var shared = [Slot]()
        /// Connections that carry pipelined requests, whether there is room for more on them or not.
        var pipelining = [Slot]()
        /// Open connections and those being opened; not the retiring ones.
        var openCount = 0
        var connectingCount = 0
        var waiters = CircularBuffer<Waiter>()
        /// Whether it is among the lanes that wait for a connection of another one to close.
        var isStarved = false
        /// The length of the queue at which it is next cleared of requests that nobody waits for any more.
        var compactAt = 64
        /// Set after a failed attempt to connect.
        var backoff: LaneBackoff?
        /// When it has to be looked at, and its place among the lanes for which that holds; see ``Agenda``.
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

    /// Requests on their way out; for what is decided without a change of the state, too.
    final class Discarded {
        fileprivate(set) var requests = [Request]()
    }

    /// A connection that has to be made, with the limits of the request that waits for it.
    struct Dial {
        let key: PoolKey
        let request: Request
        /// An idle connection to somewhere else that closes for it.
        var closing: Connection?
    }

    enum SubmitAction {
        case start(Connection)
        /// A connection has to be made; an idle one closes for it.
        case connect(closing: Connection?)
        case wait
        case refuse
    }

    var lanes = [PoolKey: Lane]()
    /// Every open connection, idle or not.
    var slots = [ObjectIdentifier: Slot]()
    /// Lanes that wait for the total to fall, in the order they came.
    var starved = CircularBuffer<Lane>()
    /// Open connections and those being opened, to all keys.
    var totalCount = 0
    /// The lanes that have a back-off.
    var backoffCount = 0
    /// Whether new requests are refused and connections close as they become free.
    var isClosed = false
    /// The requests that have had to wait so far.
    var waiterCount = 0
    /// The lanes that have a deadline.
    var agenda = Agenda()
    /// When the next look at deadlines is scheduled.
    var nextSweep: NIODeadline?
    /// What has happened so far.
    var counters = PoolCounters()
    /// The requests that nobody waits for any more, until the lock is given back.
    let discarded = Discarded()

    let rules: Rules
    let isWanted: (Request) -> Bool

    /// - Parameters:
    ///   - rules: The limits.
    ///   - isWanted: Whether somebody still waits for a request.
    init(rules: Rules, isWanted: @escaping (Request) -> Bool) {
        self.rules = rules
        self.isWanted = isWanted
    }

    // MARK: Requests

    /// A request came in: it gets a connection, or waits for one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: What its connection has to match.
    ///   - sharing: Whether connections to a key that is new may be shared.
    ///   - pipelines: Whether the request may be sent behind others of its kind, before their responses have come.
    ///   - fresh: Whether an idle connection will not do, because one has just turned out to be dead.
    ///   - patience: How long it may be held back after a failed attempt to connect.
    ///   - now: The time.
    ///   - deadline: When waiting has taken too long; told whether a connection is being made for the request, or will be.
    /// - Returns: What to do.
    mutating func submit(
        _ request: Request,
        key: PoolKey,
        sharing: Sharing = .never,
        pipelines: Bool = false,
        fresh: Bool = false,
        patience: TimeAmount? = nil,
        now: NIODeadline,
        deadline: (_ connects: Bool) -> NIODeadline?
    ) -> SubmitAction {
        guard !self.isClosed else { return .refuse }
        let lane = self.lane(key, sharing: sharing)
        self.updateBackoff(lane, now: now)
        if let slot = self.takeSlot(of: lane, pipelines: pipelines, fresh: fresh) {
            self.lend(slot, pipelines: pipelines)
            return .start(slot.connection)
        }
        if lane.waiters.count >= lane.compactAt {
            self.removeUnwanted(lane)
            lane.compactAt = Swift.max(64, lane.waiters.count * 2)
        }
        // One that is wanted fresh takes the place of an idle one, which may be as dead as the one before.
        let isHeldBack = self.isHeldBack(lane)
        let own = fresh && lane.sharing == .never && !isHeldBack && !self.hasRoom(lane) ? lane.idle.first : nil
        let connects = own != nil || self.mayConnect(lane)
        let isFull = self.totalCount >= self.rules.maximumTotal
        let victim = own ?? (connects && isFull ? self.oldestIdle() : nil)
        let hasRoom = !isFull || victim != nil
        let limit = deadline((connects || isHeldBack) && hasRoom)
        let place: WaiterPlace = fresh ? .firstAndFresh : .last
        self.enqueue(request, in: lane, deadline: limit, pipelines: pipelines, patience: patience, place: place)
        self.hold(patience, in: lane, now: now)
        guard connects else { return .wait }
        guard hasRoom else {
            self.starve(lane)
            return .wait
        }
        if let victim { self.retire(victim) }
        self.beginConnecting(lane)
        return .connect(closing: victim?.connection)
    }

    /// Lets a request wait, behind the others of its lane or before them.
    mutating func enqueue(
        _ request: Request,
        in lane: Lane,
        deadline: NIODeadline?,
        pipelines: Bool,
        patience: TimeAmount?,
        place: WaiterPlace
    ) {
        self.waiterCount += 1
        let first = place != .last
        let waiter = Waiter(
            request: request,
            deadline: deadline,
            pipelines: pipelines,
            isFresh: place == .firstAndFresh,
            patience: patience,
            order: first ? lane.waiters.first?.order ?? self.waiterCount : self.waiterCount
        )
        if first { lane.waiters.prepend(waiter) } else { lane.waiters.append(waiter) }
        if let deadline { self.agenda.add(lane, at: deadline) }
    }

    /// The lane of a key.
    mutating func lane(_ key: PoolKey, sharing: Sharing) -> Lane {
        if let lane = self.lanes[key] { return lane }
        let lane = Lane(key: key, sharing: sharing)
        self.lanes[key] = lane
        return lane
    }

    /// A connection that can take one more exchange.
    private mutating func takeSlot(of lane: Lane, pipelines: Bool, fresh: Bool) -> Slot? {
        if let slot = lane.shared.first(where: { $0.lentCount < $0.capacity }) {
            if slot.lentCount == 0 { lane.idle.removeAll { $0 === slot } }
            return slot
        }
        guard !fresh, lane.sharing != .always else { return nil }
        // The newest goes first: what was used last is the least likely to be dead.
        if let slot = lane.idle.popLast() { return slot }
        return pipelines ? self.joinable(lane) : nil
    }

    mutating func lend(_ slot: Slot, pipelines: Bool) {
        slot.lentCount += 1
        slot.useCount += 1
        // A connection that carries one exchange at a time is looked at when it comes back.
        if slot.isShared, slot.useCount >= self.rules.maximumUses { self.retire(slot) }
        if pipelines { self.beginPipelining(slot) }
    }

    /// Whether one more connection may be made for the requests of a lane, as far as its own limit and its back-off go.
    func mayConnect(_ lane: Lane) -> Bool { self.hasRoom(lane) && !self.isHeldBack(lane) }

    /// Whether a lane may have one more connection, as far as its own limit goes.
    func hasRoom(_ lane: Lane) -> Bool {
        switch lane.sharing {
        case .never: lane.openCount < Swift.max(1, self.rules.maximumPerKey)
        // One connection carries everything; where the peer has not chosen yet, the first one asks.
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

    /// The connection that has been idle for longest, wherever it goes.
    func oldestIdle() -> Slot? {
        self.lanes.values.compactMap(\.idle.first).min { $0.idleSince < $1.idleSince }
    }

    /// The request that is next in a lane.
    func firstWaiter(_ lane: Lane) -> Waiter? {
        while let first = lane.waiters.first, !self.isWanted(first.request) {
            self.discarded.requests.append(lane.waiters.removeFirst().request)
        }
        return lane.waiters.first
    }

    /// Takes the requests out of a lane that nobody waits for any more.
    func removeUnwanted(_ lane: Lane) {
        var wanted = CircularBuffer<Waiter>(initialCapacity: lane.waiters.count)
        for waiter in lane.waiters {
            if self.isWanted(waiter.request) {
                wanted.append(waiter)
            } else {
                self.discarded.requests.append(waiter.request)
            }
        }
        lane.waiters = wanted
    }

    /// Hands out the requests that nobody waits for any more.
    ///
    /// They are released where no lock is held: a request may be the last one to hold something whose end comes back to the pool.
    func takeDiscarded() -> [Request] {
        if self.discarded.requests.isEmpty { return [] }
        defer { self.discarded.requests = [] }
        return self.discarded.requests
    }
}
