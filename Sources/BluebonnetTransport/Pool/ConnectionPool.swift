// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Lends connections to exchanges: one lock around ``PoolState``, and the actions it asks for.
final class ConnectionPool: Sendable {
    private typealias State = PoolState<PooledConnection, Exchange>

    private let state: Mutex<State>
    private let connector: Connector
    private let group: any EventLoopGroup

    init(connector: Connector, options: NIOTransport.PoolOptions, group: any EventLoopGroup) {
        self.connector = connector
        self.group = group
        let idleTimeout = TimeAmount(options.idleTimeout)
        self.state = Mutex(
            State(maximumPerKey: options.maximumConnectionsPerOrigin, idleTimeout: idleTimeout) { $0.isWaiting }
        )
    }

    // MARK: From callers

    /// Starts an exchange, or lets it wait for a connection.
    func submit(_ exchange: Exchange, fresh: Bool = false) {
        let key = PoolKey(exchange.request)
        let (action, sweep) = self.state.withLock { state -> (State.SubmitAction, NIODeadline?) in
            var waitDeadline: NIODeadline?
            let action = state.submit(exchange, key: key, fresh: fresh) { connects in
                waitDeadline = exchange.waitDeadline(connects: connects)
                return waitDeadline
            }
            return (action, state.scheduleSweep(at: waitDeadline))
        }
        switch action {
        case .start(let connection): connection.start(exchange)
        case .connect: self.connect(key, timeouts: exchange.request.timeouts)
        case .wait: break
        case .refuse: exchange.answer(.failure(TransportError.shutDown))
        }
        if let sweep { self.schedule(sweep) }
    }

    /// Refuses new exchanges and closes connections: all of them, or each as it becomes free.
    ///
    /// - Returns: The connections that are being closed.
    @discardableResult
    func close(onlyIdle: Bool) -> [PooledConnection] {
        let (waiters, connections) = self.state.withLock { $0.close(onlyIdle: onlyIdle) }
        for exchange in waiters { exchange.answer(.failure(TransportError.shutDown)) }
        for connection in connections { connection.shutDown() }
        return connections
    }

    // MARK: From connections, on their event loops

    /// Takes a connection back.
    ///
    /// - Returns: The exchange to start on it next, if one waits.
    func release(_ connection: PooledConnection) -> Exchange? {
        let now = NIODeadline.now()
        let (next, closes, sweep) = self.state.withLock { state -> (Exchange?, Bool, NIODeadline?) in
            let next = state.release(connection, key: connection.key, now: now)
            return (
                next, next == nil && state.isClosed,
                next == nil ? state.scheduleSweep(at: now + connection.idleTimeout) : nil
            )
        }
        if closes { connection.shutDown() }
        if let sweep { self.schedule(sweep) }
        return next
    }

    /// Forgets a connection that is closed or will not be used again.
    func remove(_ connection: PooledConnection) {
        let connects = self.state.withLock { $0.closed(connection, key: connection.key) }
        if connects { self.connect(connection.key, timeouts: Timeouts()) }
    }

    // MARK: Connecting and sweeping

    private func connect(_ key: PoolKey, timeouts: Timeouts) {
        let connected = self.connector.connect(key, timeouts: timeouts, pool: self, eventLoop: self.group.next())
        connected.whenComplete { [weak self] result in
            guard let self else {
                if case .success(let connection) = result { connection.shutDown() }
                return
            }
            switch result {
            case .success(let connection): self.didConnect(connection)
            case .failure(let error):
                let error = TransportError(mapping: error, phase: .connect, isRequestSent: false)
                self.didFail(key, error: error, timeouts: timeouts)
            }
        }
    }

    private func didConnect(_ connection: PooledConnection) {
        let now = NIODeadline.now()
        let (next, closes, sweep) = self.state.withLock { state -> (Exchange?, Bool, NIODeadline?) in
            let next = state.connected(connection, key: connection.key, now: now)
            return (
                next, next == nil && state.isClosed,
                next == nil ? state.scheduleSweep(at: now + connection.idleTimeout) : nil
            )
        }
        if let next { connection.start(next) }
        if closes { connection.shutDown() }
        if let sweep { self.schedule(sweep) }
    }

    private func didFail(_ key: PoolKey, error: TransportError, timeouts: Timeouts) {
        let (failed, connects) = self.state.withLock { $0.connectFailed(key: key) }
        failed?.answer(.failure(error))
        if connects { self.connect(key, timeouts: timeouts) }
    }

    private func schedule(_ deadline: NIODeadline) {
        self.group.next().scheduleTask(deadline: deadline) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = NIODeadline.now()
        let (late, stale, next) = self.state.withLock { state -> ([Exchange], [PooledConnection], NIODeadline?) in
            let (late, stale) = state.sweep(now: now)
            return (late, stale, state.sweepNeeded(now: now))
        }
        for exchange in late { exchange.answer(.failure(exchange.waitedTooLong(now: now))) }
        for connection in stale { connection.shutDown() }
        if let next { self.schedule(next) }
    }
}

extension Exchange {
    /// When waiting for a connection has taken too long.
    ///
    /// A request for which a connection is being made waits for that too; the limits for connecting are added.
    fileprivate func waitDeadline(connects: Bool) -> NIODeadline? {
        let timeouts = self.request.timeouts
        var limit = timeouts.pool.map { NIODeadline.now() + TimeAmount($0) }
        if connects, let pool = limit {
            if let connect = timeouts.connect, let handshake = timeouts.handshake {
                limit = pool + TimeAmount(connect) + TimeAmount(handshake)
            } else {
                limit = nil
            }
        }
        guard let limit, let total = self.totalDeadline else { return limit ?? self.totalDeadline }
        return Swift.min(limit, total)
    }

    fileprivate func waitedTooLong(now: NIODeadline) -> TransportError {
        if let total = self.totalDeadline, total <= now {
            return TransportError(.timedOut, phase: .total, reason: "the request took longer than its limit in all")
        }
        return TransportError(
            .timedOut,
            phase: .pool,
            reason: "no connection to \(self.request.origin) became free in time"
        )
    }
}

extension TransportError {
    static var shutDown: TransportError {
        TransportError(.shutDown, phase: .pool, reason: "the transport has been shut down")
    }
}
