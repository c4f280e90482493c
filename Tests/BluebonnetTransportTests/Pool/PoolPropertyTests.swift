// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Whatever happens in whatever order, the pool keeps its promises.
@Suite struct PoolPropertyTests {
    @Test(arguments: 0..<60)
    func `no order of events loses a request, breaks a limit or lets anybody starve`(seed: UInt64) {
        let world = PoolWorld(seed: seed)
        for step in 0..<400 {
            world.step()
            if let fault = world.fault {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
        }
        world.drain()
        if let fault = world.fault { Issue.record("seed \(seed), at the end: \(fault)") }
    }

    @Test func `the histories do pipeline`() {
        var pipelined = 0
        for seed in UInt64(0)..<15 {
            let world = PoolWorld(seed: seed)
            for _ in 0..<400 { world.step() }
            pipelined += world.pipelined
        }
        #expect(pipelined > 30)
    }
}

/// A pool, and everything around it that does something at random: callers, peers and time.
private final class PoolWorld {
    typealias State = PoolStateTests.State
    typealias FakeConnection = PoolStateTests.FakeConnection
    typealias FakeRequest = PoolStateTests.FakeRequest

    /// A connection as the world sees it.
    private final class Open {
        let connection = FakeConnection()
        let key: PoolKey
        var capacity: Int
        var carried = [FakeRequest]()
        var isRetired = false
        /// Whether its last response has shown that it can carry requests behind one another.
        var mayPipeline = false

        /// Whether it carries many at a time by itself.
        let isShared: Bool

        init(key: PoolKey, capacity: Int, isShared: Bool) {
            self.key = key
            self.capacity = capacity
            self.isShared = isShared
        }
    }

    private var state: State
    private var random: SplitMix
    private let rules: State.Rules
    private let keys = (0..<4).map { PoolKey(origin: Origin(scheme: .https, host: "host\($0)")) }
    private var now = NIODeadline.uptimeNanoseconds(1_000_000)
    private var open = [Open]()
    private var connecting = [PoolKey]()
    private var waiting = [Int: FakeRequest]()
    private var submitted = 0
    private var answered = 0
    /// Where each request goes.
    private var queued = [Int: PoolKey]()
    /// Those that an idle connection will not do for.
    private var fresh = Set<Int>()
    /// How many of eight requests may be sent behind others.
    private let pipelining: Int
    /// How many requests were sent behind others.
    private(set) var pipelined = 0
    private var last = ""
    private(set) var fault: String?

    init(seed: UInt64) {
        self.random = SplitMix(state: seed)
        self.pipelining = [0, 4, 7][Int(seed % 3)]
        var rules = State.Rules(maximumPerKey: 1 + self.random.below(3), maximumTotal: 1 + self.random.below(6))
        if self.random.below(3) == 0 { rules.maximumUses = 1 + self.random.below(4) }
        if self.random.below(3) == 0 { rules.maximumAge = .seconds(5) }
        rules.idleTimeout = .seconds(4)
        rules.maximumPipelineDepth = 1 + self.random.below(4)
        if self.random.below(2) == 0 { rules.backoff = .init(initial: .seconds(1), maximum: .seconds(3)) }
        self.rules = rules
        self.state = State(rules: rules) { $0.isWanted }
    }

    /// Every other origin shares its connections; which ones, nobody knows before asking.
    private func isShared(_ key: PoolKey) -> Bool { key.origin.host.last == "1" || key.origin.host.last == "3" }

    // MARK: Events

    func step() {
        switch self.random.below(16) {
        case 0...3: self.submit(fresh: false)
        case 4: self.submit(fresh: self.random.below(2) == 0)
        case 5...6: self.connect()
        case 7: self.failToConnect()
        case 8...10: self.release()
        case 11: self.breakConnection()
        case 12: self.changeCapacity()
        case 13: self.retire()
        case 14: self.giveUp()
        default: self.random.below(3) == 0 ? self.warmUp() : self.passTime()
        }
        self.resume()
        self.check()
    }

    /// Starts what has given way to another origin, and need not any longer.
    private func resume() {
        while let resumption = self.state.takeResumption() {
            for start in resumption.starts { self.start(start.request, on: start.connection) }
            for dial in resumption.dials { self.carryOut(dial) }
            if resumption.starts.isEmpty, resumption.dials.isEmpty { return }
        }
    }

    private func submit(fresh: Bool) {
        self.last = "submit"
        let request = FakeRequest(self.submitted, pipelines: !fresh && self.random.below(8) < self.pipelining)
        self.submitted += 1
        // Where much is pipelined, most go to the origins that need it.
        let key = self.keys[self.random.below(8) < self.pipelining ? 2 * self.random.below(2) : self.random.below(4)]
        let limit = self.random.below(4) == 0 ? self.now + .seconds(3) : nil
        let isQueue = self.waiting.values.contains { self.queued[$0.number] == key }
        self.waiting[request.number] = request
        self.queued[request.number] = key
        if fresh { self.fresh.insert(request.number) }
        switch self.state.submit(
            request,
            key: key,
            sharing: .unknown,
            pipelines: request.pipelines,
            fresh: fresh,
            patience: self.random.below(2) == 0 ? .seconds(1) : nil,
            now: self.now,
            deadline: { _ in limit }
        ) {
        case .start(let connection):
            self.start(request, on: connection)
            let open = self.open.first { $0.connection === connection }
            if let open, open.carried.count > 1 {
                if isQueue { self.fault = "joined past the queue" }
                if let other = self.state.starved.first, other.key != key, self.needsConnection(other) {
                    self.fault = "joined past \(other.key), which waits for a connection"
                }
            }
        case .connect(let victim):
            self.connecting.append(key)
            if let victim { self.close(victim, mustBeIdle: true) }
        case .wait: break
        case .refuse: self.fault = "refused"
        }
    }

    /// Whether a lane has requests that no connection is being made for, although it may have one.
    private func needsConnection(_ lane: State.Lane) -> Bool {
        lane.waiters.count { $0.request.isWanted } > lane.connectingCount && self.state.mayConnect(lane)
    }

    private func start(_ request: FakeRequest, on connection: FakeConnection) {
        guard let open = self.open.first(where: { $0.connection === connection }) else {
            self.fault = "started on a connection that is closed"
            return
        }
        if self.waiting.removeValue(forKey: request.number) == nil { self.fault = "started \(request.number) twice" }
        if open.isRetired { self.fault = "started on a retired connection" }
        open.carried.append(request)
        if open.carried.count > 1, !open.isShared {
            if !open.mayPipeline { self.fault = "pipelined before the connection has shown that it lasts" }
            if !open.carried.allSatisfy(\.pipelines) { self.fault = "pipelined with what does not want to be" }
            self.pipelined += 1
        }
        let limit = open.isShared ? open.capacity : self.rules.maximumPipelineDepth
        if open.carried.count > limit { self.fault = "more than the connection can carry" }
    }

    private func connect() {
        guard !self.connecting.isEmpty else { return }
        self.last = "connected"
        let key = self.connecting.remove(at: self.random.below(self.connecting.count))
        let shared = self.isShared(key)
        let made = Open(key: key, capacity: shared ? 1 + self.random.below(4) : 1, isShared: shared)
        self.open.append(made)
        let opening = self.state.connected(
            made.connection,
            key: key,
            isShared: shared,
            capacity: made.capacity,
            now: self.now
        )
        self.carryOut(opening, on: made)
    }

    private func carryOut(_ opening: State.Opening, on made: Open) {
        for request in opening.requests { self.start(request, on: made.connection) }
        for dial in opening.dials { self.carryOut(dial) }
        if opening.closes { self.close(made.connection, mustBeIdle: true) }
    }

    private func carryOut(_ dial: State.Dial) {
        self.connecting.append(dial.key)
        if let victim = dial.closing { self.close(victim, mustBeIdle: true) }
    }

    private func failToConnect() {
        guard !self.connecting.isEmpty else { return }
        self.last = "failed to connect"
        let key = self.connecting.remove(at: self.random.below(self.connecting.count))
        let counts = self.random.below(4) > 0
        let jitter = Double(self.random.below(11)) / 10
        // Some have more time to connect than the attempt had.
        let isShort = self.random.below(2) == 0
        let (failed, dial) = self.state.connectFailed(
            key: key,
            counts: counts,
            jitter: jitter,
            now: self.now,
            sparing: { isShort && $0.number % 3 == 0 }
        )
        for request in failed {
            if isShort, request.number % 3 == 0 { self.fault = "failed \(request.number) too early" }
            self.answer(request)
        }
        if let dial { self.carryOut(dial) }
    }

    private func answer(_ request: FakeRequest) {
        if self.waiting.removeValue(forKey: request.number) == nil { self.fault = "answered \(request.number) twice" }
        self.answered += 1
    }

    private func release() {
        guard let open = self.open.filter({ !$0.carried.isEmpty }).randomElement(using: &self.random) else { return }
        self.last = "release"
        open.carried.remove(at: self.random.below(open.carried.count))
        self.answered += 1
        open.mayPipeline = self.random.below(8) < self.pipelining + 1
        let lane = self.state.slots[ObjectIdentifier(open.connection)]?.lane
        let isHeldBack = lane.map { self.state.isHeldBack($0) } ?? false
        let release = self.state.release(open.connection, mayPipeline: open.mayPipeline, now: self.now)
        if let next = release.next {
            // It lost a connection that had served others, and this one may be closing, too.
            if self.fresh.contains(next.number), !open.isShared, !isHeldBack {
                self.fault = "\(next.number) wants a new connection, and gets a used one"
            }
            self.start(next, on: open.connection)
        }
        for request in release.behind { self.start(request, on: open.connection) }
        self.checkPlace(on: open)
        if let dial = release.dial { self.carryOut(dial) }
        if release.closes { self.close(open.connection, mustBeIdle: true) }
    }

    /// A place that has become free is the next one's, unless somebody elsewhere has waited longer for a connection.
    private func checkPlace(on open: Open) {
        guard let slot = self.state.slots[ObjectIdentifier(open.connection)], slot.isPipelining, !slot.isRetiring,
            slot.lentCount < self.rules.maximumPipelineDepth, slot.useCount < self.rules.maximumUses,
            self.state.starved.isEmpty
        else { return }
        if let next = slot.lane.waiters.first(where: \.request.isWanted), next.pipelines {
            self.fault = "\(next.request.number) waits beside a free place"
        }
    }

    private func breakConnection() {
        guard let open = self.open.randomElement(using: &self.random) else { return }
        self.last = "broken"
        self.close(open.connection, mustBeIdle: false)
    }

    private func close(_ connection: FakeConnection, mustBeIdle: Bool) {
        guard let index = self.open.firstIndex(where: { $0.connection === connection }) else {
            self.fault = "closes what is closed"
            return
        }
        let open = self.open.remove(at: index)
        if mustBeIdle, !open.carried.isEmpty { self.fault = "closes a connection in use" }
        self.answered += open.carried.count
        if let dial = self.state.closed(connection) { self.carryOut(dial) }
    }

    private func changeCapacity() {
        guard let open = self.open.filter({ self.isShared($0.key) }).randomElement(using: &self.random) else { return }
        self.last = "capacity"
        open.capacity = self.random.below(5)
        self.carryOut(self.state.changeCapacity(open.connection, to: open.capacity, now: self.now), on: open)
    }

    private func retire() {
        guard let open = self.open.filter({ self.isShared($0.key) }).randomElement(using: &self.random) else { return }
        self.last = "retire"
        open.isRetired = true
        let (closes, dial) = self.state.retire(open.connection)
        if let dial { self.carryOut(dial) }
        if closes { self.close(open.connection, mustBeIdle: true) }
    }

    private func giveUp() {
        guard let (number, request) = self.waiting.randomElement(using: &self.random) else { return }
        self.last = "cancel"
        request.isWanted = false
        self.waiting[number] = nil
        self.answered += 1
    }

    private func warmUp() {
        self.last = "warm up"
        let key = self.keys[self.random.below(self.keys.count)]
        if self.state.warmUp(key, sharing: .unknown) { self.connecting.append(key) }
    }

    private func passTime() {
        self.last = "sweep"
        self.now = self.now + .seconds(Int64(1 + self.random.below(3)))
        let sweep = self.state.sweep(now: self.now)
        for request in sweep.waiters { self.answer(request) }
        for dial in sweep.dials { self.carryOut(dial) }
        for connection in sweep.connections { self.close(connection, mustBeIdle: true) }
    }

    /// Lets everything come to its end.
    func drain() {
        for _ in 0..<10_000 where self.fault == nil && self.answered < self.submitted {
            if !self.connecting.isEmpty {
                self.connect()
            } else if self.open.contains(where: { !$0.carried.isEmpty }) {
                self.release()
            } else {
                self.passTime()
            }
            for open in self.open where open.capacity == 0 && !open.isRetired {
                open.capacity = 1
                self.carryOut(self.state.changeCapacity(open.connection, to: 1, now: self.now), on: open)
            }
            self.resume()
            self.check()
        }
        if self.answered < self.submitted { self.fault = self.fault ?? "requests are left: \(self.waiting.keys)" }
        while let key = self.connecting.first, self.fault == nil {
            self.connecting.removeFirst()
            _ = self.state.connectFailed(key: key, counts: false, now: self.now)
        }
        while let open = self.open.first, self.fault == nil { self.close(open.connection, mustBeIdle: true) }
        _ = self.state.sweep(now: self.now + .seconds(60))
        if !self.state.lanes.isEmpty || self.state.totalCount != 0 || !self.state.slots.isEmpty {
            self.fault = self.fault ?? "the pool is not empty"
        }
    }

    // MARK: Promises

    private func check() {
        guard self.fault == nil else { return }
        if let broken = self.brokenPromise() { self.fault = "after \(self.last): \(broken)" }
    }

    private func brokenPromise() -> String? {
        let statistics = self.state.statistics
        if self.state.totalCount != self.open.count + self.connecting.count { return "the total is wrong" }
        if self.state.totalCount > self.rules.maximumTotal { return "the total is beyond its limit" }
        if statistics.connecting != self.connecting.count { return "connecting is \(statistics.connecting)" }
        if statistics.open != self.open.count { return "open is \(statistics.open)" }
        if statistics.inFlight != self.open.reduce(0, { $0 + $1.carried.count }) { return "in flight is wrong" }
        let known = self.state.lanes.values.flatMap { $0.waiters.filter(\.request.isWanted).map(\.request.number) }
        if known.sorted() != self.waiting.keys.sorted() { return "waiting are \(known), not \(self.waiting.keys)" }
        return self.state.lanes.values.lazy.compactMap { self.brokenPromise(in: $0) }.first
    }

    private func brokenPromise(in lane: State.Lane) -> String? {
        let slots = self.state.slots.values.filter { $0.lane === lane && !$0.isRetiring }
        if lane.connectingCount < 0 || lane.openCount != lane.connectingCount + slots.count {
            return "\(lane.key) counts \(lane.openCount) open and \(lane.connectingCount) connecting"
        }
        if lane.sharing == .never, lane.openCount > self.rules.maximumPerKey { return "too many for one key" }
        if lane.idle.contains(where: { $0.lentCount != 0 || $0.isRetiring }) { return "idle and in use" }
        let wanted = lane.waiters.count { $0.request.isWanted }
        guard wanted > 0 else { return nil }
        let isServed = wanted <= lane.connectingCount
        // One that is wanted fresh waits for the end of the back-off, whatever is idle; no other does.
        let isHeldBack = self.state.isHeldBack(lane)
        let mayWait = lane.waiters.allSatisfy {
            !$0.request.isWanted || (isHeldBack && self.fresh.contains($0.request.number))
        }
        // A shared connection that is busy may have room, and has to become free for a lane that has waited longer.
        let givesWay = self.givesWay(lane)
        let hasRoom = slots.contains {
            $0.lentCount < $0.capacity && !($0.isShared && $0.lentCount > 0 && givesWay)
        }
        if !isServed, !mayWait, hasRoom {
            return "\(lane.key) waits beside a free connection"
        }
        if let backoff = lane.backoff, backoff.isHolding, backoff.release > self.now + .seconds(3) {
            return "\(lane.key) is held back for too long"
        }
        if isHeldBack, lane.connectingCount == 0,
            lane.place == nil || lane.due > self.now + .seconds(3)
        {
            return "\(lane.key) is held back for ever"
        }
        guard !isServed, self.state.mayConnect(lane) else { return nil }
        if self.state.totalCount < self.rules.maximumTotal { return "\(lane.key) waits although it may connect" }
        if self.state.lanes.values.contains(where: { !$0.idle.isEmpty }) { return "\(lane.key) waits for an idle one" }
        return nil
    }

    /// Whether a request of another lane has waited longer for a connection than those of a lane.
    private func givesWay(_ lane: State.Lane) -> Bool {
        guard let own = lane.waiters.first(where: \.request.isWanted) else { return false }
        return self.state.starved.contains { other in
            guard other !== lane, let first = other.waiters.first(where: \.request.isWanted) else { return false }
            return first.order < own.order
        }
    }
}

/// A small generator whose numbers are the same on every machine.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var bits = self.state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(self.next() % UInt64(limit)) }
}
