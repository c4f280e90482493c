// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Metrics
import NIOCore
import Synchronization

/// Leases connections to exchanges: one lock around ``PoolState``, and the actions it returns.
final class ConnectionPool: Sendable {
    typealias State = PoolState<PooledConnection, Exchange>

    private let state: Mutex<State>
    private let drainWaiters = Mutex([CheckedContinuation<Void, Never>]())
    private let connector: Connector
    let servers = KnownServers()
    private let eventLoops: EventLoops
    private let networkWatch: NetworkWatch
    let clock: EngineClock
    private let observer: (any TransportObserver)?
    private let metrics: PoolMetrics?

    init(connector: Connector, configuration: NIOTransport.Configuration, eventLoops: EventLoops) {
        self.clock = configuration.clock
        self.observer = configuration.observer
        self.metrics = configuration.metricsFactory.map { PoolMetrics(factory: $0) }
        self.connector = connector
        self.eventLoops = eventLoops
        self.networkWatch = NetworkWatch(configuration.networkChanges)
        let rules = State.Rules(configuration.pool, descriptorLimit: configuration.descriptorLimit())
        self.state = Mutex(State(rules: rules, isWanted: \.isWaiting, needsKnownCapacity: \.needsKnownCapacity))
    }

    /// Makes a decision under the lock.
    ///
    /// After the lock, requests that are no longer wanted are released, expired connections are closed, and requests
    /// that waited for another origin and need not any longer are started.
    private func decide<Decision>(_ decision: (inout sending State) -> sending Decision) -> sending Decision {
        let (result, resumption, discarded, expired) = self.state.withLock { state in
            (decision(&state), state.takeResumption(), state.takeDiscarded(), state.takeExpired())
        }
        _ = consume discarded
        for connection in expired { connection.shutDown() }
        if let resumption { self.carryOut(resumption) }
        return result
    }

    // MARK: From callers

    /// Creates the event loops, unless they exist.
    ///
    /// - Throws: ``TransportError/Code/connectFailed`` if the process has too few file descriptors or threads left.
    func prepare() throws(TransportError) {
        try self.eventLoops.prepare()
    }

    /// Makes the observation of a request's exchange; nil if there is no observer.
    func makeObservation(for request: TransportRequest) -> ExchangeObservation? {
        guard self.observer != nil || self.metrics != nil || request.observer != nil else { return nil }
        return ExchangeObservation(observer: self.observer, requestObserver: request.observer, metrics: self.metrics)
    }

    /// Starts an exchange, or enqueues it until a connection is available.
    func submit(_ exchange: Exchange, fresh: Bool = false) {
        // An exchange that was lost with a connection is not pipelined again (RFC 9112 section 9.3.2).
        let pipelines = !fresh && exchange.isPipelinable
        let now = self.clock.now()
        let key = self.servers.agreed(exchange.key, now: now)
        let sharing = self.sharing(key)
        exchange.noteWaiting()
        exchange.observation?.didQueue(at: self.clock.instant())
        let (action, sweep) = self.decide { state -> (State.SubmitAction, NIODeadline?) in
            let action = state.submit(
                exchange,
                key: key,
                sharing: sharing,
                pipelines: pipelines,
                fresh: fresh,
                patience: exchange.request.timeouts.connect.map { .nanoseconds(TimeAmount($0).nanoseconds / 2) },
                now: now
            ) { exchange.waitDeadline(for: $0, now: now) }
            return (action, state.scheduleSweep())
        }
        switch action {
        case .start(let connection): connection.start(exchange)
        case .connect(let victim):
            victim?.shutDown()
            self.connect(key, for: exchange)
        case .wait: break
        case .refuse: exchange.answer(.failure(TransportError.shutDown(in: .queue)))
        }
        if let sweep { self.schedule(sweep) }
    }

    /// Opens connections before requests need them.
    ///
    /// - Returns: One future for each connection that the limits allow.
    func warmUp(_ key: PoolKey, count: Int, timeouts: Timeouts) -> [EventLoopFuture<Void>] {
        let key = self.servers.agreed(key, now: self.clock.now())
        let sharing = self.sharing(key)
        var futures = [EventLoopFuture<Void>]()
        while futures.count < count, self.decide({ $0.warmUp(key, sharing: sharing) }) {
            futures.append(self.connect(key, for: nil, timeouts: timeouts))
        }
        return futures
    }

    /// Refuses new exchanges and closes connections: all of them at once, or each as it becomes free.
    ///
    /// - Parameter immediately: Whether all are closed at once, and those that are being made, too.
    /// - Returns: The lookups that are being ended.
    @discardableResult
    func close(immediately: Bool) -> [EventLoopFuture<Void>] {
        let (waiters, connections) = self.decide { state -> ([Exchange], [PooledConnection]) in
            state.close(immediately: immediately)
        }
        self.networkWatch.stop()
        for exchange in waiters {
            exchange.answer(.failure(TransportError.shutDown(in: exchange.connectingPhase ?? .queue)))
        }
        for connection in connections { connection.shutDown() }
        // Requests held back by a back-off have no connection whose close would report the end.
        self.noteDrained()
        return immediately ? self.connector.close() : []
    }

    /// Waits, after ``close(immediately:)``, until every exchange, connection and attempt to connect has ended.
    func drained() async {
        await withCheckedContinuation { continuation in
            self.drainWaiters.withLock { $0.append(continuation) }
            self.noteDrained()
        }
        // A connection leaves the pool before its socket closes, which over TLS waits for the server's close_notify.
        await self.connector.sockets.closed()
    }

    /// Lets go of a connection whose channel belongs to the caller since its upgrade.
    func handOut(_ channel: any Channel) { self.connector.sockets.remove(channel) }

    /// Waits on the pool's clock, until the task is cancelled at the latest.
    func sleep(for duration: Duration) async {
        // Without event loops there is nothing to wait for.
        guard (try? self.eventLoops.prepare()) != nil else { return }
        await self.clock.sleep(for: duration, on: self.eventLoops.next())
    }

    /// Notes that something has ended that a drain may be waiting for.
    func noteDrained() {
        guard self.decide({ $0.isDrained }) else { return }
        for waiter in self.drainWaiters.withLock({ waiters in
            defer { waiters = [] }
            return waiters
        }) { waiter.resume() }
    }

    /// The current state of the pool, and its totals so far.
    var statistics: NIOTransport.Statistics {
        self.decide { $0.statistics }
    }

    // MARK: From connections, on their event loops

    /// Takes a connection back after an exchange.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - mayPipeline: Whether its last response shows that requests may be pipelined on it.
    ///   - idleLimit: How long its server lets it be idle; nil if it has not said so.
    /// - Returns: The request to start on it next, if one waits; the pool carries out the rest.
    func release(
        _ connection: PooledConnection,
        mayPipeline: Bool = false,
        idleLimit: TimeAmount? = nil
    ) -> State.Release {
        let now = self.clock.now()
        let (release, sweep) = self.decide { state -> (State.Release, NIODeadline?) in
            let release = state.release(connection, mayPipeline: mayPipeline, idleLimit: idleLimit, now: now)
            return (release, state.scheduleSweep())
        }
        if release.closes { connection.shutDown() }
        if let dial = release.dial { self.carryOut(dial) }
        if let sweep { self.schedule(sweep) }
        return release
    }

    /// Enqueues an exchange again that a shared connection cannot take, because its peer has lowered its limit; one that
    /// comes after the end of all waiting requests fails.
    func postpone(_ exchange: Exchange, on connection: PooledConnection) {
        let now = self.clock.now()
        let deadline = exchange.waitDeadline(for: .free, now: now)
        let (postponement, sweep) = self.decide { state -> (State.Postponement, NIODeadline?) in
            let postponement = state.postpone(exchange, on: connection, deadline: deadline, now: now)
            return (postponement, state.scheduleSweep())
        }
        if postponement.isRefused { exchange.answer(.failure(TransportError.shutDown(in: .queue))) }
        if postponement.closes { connection.shutDown() }
        if let dial = postponement.dial { self.carryOut(dial) }
        if let sweep { self.schedule(sweep) }
    }

    /// The server of a shared connection has announced how many exchanges it may carry at a time.
    func changeCapacity(of connection: PooledConnection, to capacity: Int) {
        let now = self.clock.now()
        self.servers.noteStreamLimit(capacity, of: connection.key, now: now)
        let (opening, sweep) = self.decide { state -> (State.Opening, NIODeadline?) in
            let opening = state.changeCapacity(connection, to: capacity, now: now)
            return (opening, state.scheduleSweep())
        }
        self.carryOut(opening, on: connection)
        if let sweep { self.schedule(sweep) }
    }

    /// Stops leasing a connection; it closes when its current exchanges have ended.
    func retire(_ connection: PooledConnection) {
        let (closes, dial) = self.decide { state -> (Bool, State.Dial?) in state.retire(connection) }
        if closes { connection.shutDown() }
        if let dial { self.carryOut(dial) }
    }

    /// Stops leasing a connection that stayed silent until an exchange on it exceeded a limit, and those that may be as
    /// dead; it closes when its current exchanges have ended.
    ///
    /// A silence that ended with the total limit shows nothing if it was short: it was never the server's limit.
    ///
    /// - Returns: Whether it is retired.
    @discardableResult
    func retireSilent(_ connection: PooledConnection, since silence: NIODeadline, _ error: TransportError) -> Bool {
        guard error.phase != .total || silence + .seconds(1) <= self.clock.now() else { return false }
        if let dial = self.decide({ $0.retireSilent(connection, since: silence) }) { self.carryOut(dial) }
        return true
    }

    /// Records that the server of a connection requires HTTP/1.1, for all later requests with the same key.
    ///
    /// - Returns: Whether HTTP/1.1 may be used.
    func noteHTTP1Required(by connection: PooledConnection) -> Bool {
        guard self.connector.maySpeakHTTP1(connection.key) else { return false }
        self.servers.requiringHTTP1.insert((), for: connection.key, now: self.clock.now())
        return true
    }

    /// Removes a connection that is closed or will not be used again.
    func remove(_ connection: PooledConnection) {
        let (dial, isLast, isNew) = self.decide { state -> (State.Dial?, Bool, Bool) in
            let before = state.counters.closed
            let dial = state.closed(connection)
            return (dial, state.isDrained, state.counters.closed != before)
        }
        if isNew { self.metrics?.closed.increment() }
        if let dial { self.carryOut(dial) }
        if isLast { self.noteDrained() }
    }

    // MARK: Connecting and sweeping

    /// Closes the connection that has been idle longest, because another one needs its file descriptor.
    ///
    /// - Returns: Its end; nil if none is idle.
    func closeOldestIdle() -> EventLoopFuture<Void>? {
        guard let connection = self.decide({ $0.retireOldestIdle() }) else { return nil }
        connection.shutDown()
        return connection.channel.closeFuture
    }

    private func sharing(_ key: PoolKey) -> State.Sharing {
        self.connector.mayShare(key) ? .unknown : .never
    }

    /// Returns the event loop of an open connection; otherwise the next one in turn.
    private func eventLoop(beside connectionID: UInt64?) -> any EventLoop {
        let neighbour = connectionID.flatMap { id in
            self.decide { $0.slots.values.first { $0.connection.stamps?.connectionID == id }?.connection }
        }
        return neighbour?.channel.eventLoop ?? self.eventLoops.next()
    }

    @discardableResult
    private func connect(
        _ key: PoolKey,
        for exchange: Exchange?,
        timeouts: Timeouts = Timeouts()
    ) -> EventLoopFuture<Void> {
        let observation = exchange.map { ConnectObservation($0) }
        observation?.tell(.connectStarted(key.origin))
        let timeouts = exchange?.request.timeouts ?? timeouts
        let connected = self.connector.connect(
            key,
            timeouts: timeouts,
            pool: self,
            observation: observation,
            eventLoop: self.eventLoop(beside: exchange?.request.loopOfConnection)
        )
        connected.whenComplete { [weak self] result in
            observation?.end()
            guard let self else {
                if case .success(let connection) = result { connection.shutDown() }
                return
            }
            switch result {
            case .success(let connection):
                observation?.tellEnd(.connectEnded(remoteAddress: connection.stamps?.remoteAddress))
                self.metrics?.opened.increment()
                self.didConnect(connection)
            case .failure(let error):
                let error = TransportError(mapping: error, phase: .connect, isRequestSent: false)
                observation?.tellEnd(.connectFailed(error))
                self.metrics?.failed.increment()
                self.didFail(key, error, timeouts)
            }
        }
        return connected.map { _ in }
    }

    /// Adds a new connection to the pool; called on its event loop.
    private func didConnect(_ connection: PooledConnection) {
        // The peer may have sent SETTINGS or GOAWAY before the pool knew of the connection: its state is read here.
        let (capacity, isCapacityKnown) = (connection.capacity, connection.isCapacityKnown)
        let now = self.clock.now()
        let (opening, sweep) = self.decide { state -> (State.Opening, NIODeadline?) in
            let opening = state.connected(
                connection,
                key: connection.key,
                isShared: connection.isShared,
                capacity: capacity,
                isCapacityKnown: isCapacityKnown,
                now: now
            )
            return (opening, state.scheduleSweep())
        }
        self.carryOut(opening, on: connection)
        // One that is closed at once stays among those that are being made until its socket is closed: nothing else knows of it.
        if !opening.closes { self.connector.sockets.notePooled(connection.channel) }
        if !connection.isUsable { self.remove(connection) }
        if let sweep { self.schedule(sweep) }
    }

    private func carryOut(_ opening: State.Opening, on connection: PooledConnection) {
        for exchange in opening.requests { connection.start(exchange) }
        if opening.closes { connection.shutDown() }
        for dial in opening.dials { self.carryOut(dial) }
    }

    private func carryOut(_ resumption: State.Resumption) {
        for start in resumption.starts { start.connection.start(start.request) }
        for dial in resumption.dials { self.carryOut(dial) }
    }

    private func carryOut(_ dial: State.Dial) {
        dial.closing?.shutDown()
        self.connect(dial.key, for: dial.request)
    }

    /// Handles a connection that could not be established within its limits.
    private func didFail(_ key: PoolKey, _ error: TransportError, _ timeouts: Timeouts) {
        let now = self.clock.now()
        let jitter = Double.random(in: 0...1)
        let (failed, dial, sweep, hasBackoffs) = self.decide {
            state -> ([Exchange], State.Dial?, NIODeadline?, Bool) in
            let (failed, dial) = state.connectFailed(
                key: key,
                counts: error.countsForBackoff,
                jitter: jitter,
                now: now,
                sparing: { error.code == .timedOut && $0.request.timeouts.isLonger(than: timeouts, in: error.phase) }
            )
            return (failed, dial, state.scheduleSweep(), state.backoffCount > 0)
        }
        for exchange in failed { exchange.answer(.failure(error)) }
        self.noteDrained()
        if let dial { self.carryOut(dial) }
        if let sweep { self.schedule(sweep) }
        guard hasBackoffs else { return }
        self.networkWatch.start(on: self.eventLoops.next()) { [weak self] in self?.endBackoffs() }
    }

    /// Makes the connections that were held back after failed attempts: the network has changed.
    private func endBackoffs() {
        for dial in self.decide({ $0.endBackoffs() }) { self.carryOut(dial) }
        self.networkWatch.stop()
    }

    private func schedule(_ deadline: NIODeadline) {
        _ = self.clock.schedule(at: deadline, on: self.eventLoops.next()) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = self.clock.now()
        let (sweep, next, hasBackoffs) = self.decide { state -> (State.Sweep, NIODeadline?, Bool) in
            let sweep = state.sweep(now: now)
            return (sweep, state.scheduleSweep(), state.backoffCount > 0)
        }
        if !hasBackoffs { self.networkWatch.stop() }
        if !sweep.waiters.isEmpty { self.metrics?.waitedTooLong.increment(by: sweep.waiters.count) }
        for exchange in sweep.waiters { exchange.answer(.failure(exchange.waitedTooLong(now: now))) }
        for connection in sweep.connections { connection.shutDown() }
        for dial in sweep.dials { self.carryOut(dial) }
        if let next { self.schedule(next) }
        self.noteDrained()
    }
}
