// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization

/// Reports what happens to one exchange, to observers and to the metrics of the pool; there is none where nobody listens.
final class ExchangeObservation: Sendable {
    private static let lastID = Atomic<UInt64>(0)
    private static let lastConnect = Atomic<UInt64>(0)

    private let id: ExchangeID
    /// The observer of the transport.
    private let observer: (any TransportObserver)?
    /// The observer of the request.
    private let requestObserver: (any TransportObserver)?
    private let metrics: PoolMetrics?
    /// When it began to wait for a connection.
    private let queued = Mutex<ExchangeMetrics.Instant?>(nil)
    private let isOver = Atomic(false)
    /// Which of the connections that were made for it is told of; 0 for none.
    private let connecting = Atomic<UInt64>(0)

    init(
        observer: (any TransportObserver)?,
        requestObserver: (any TransportObserver)? = nil,
        metrics: PoolMetrics?
    ) {
        self.id = ExchangeID(number: Self.lastID.add(1, ordering: .relaxed).newValue)
        self.observer = observer
        self.requestObserver = requestObserver
        self.metrics = metrics
    }

    /// Tells an event, unless the last one has been told.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        guard self.isObserved, !self.isOver.load(ordering: .relaxed) else { return }
        self.send(event())
    }

    private var isObserved: Bool { self.observer != nil || self.requestObserver != nil }

    private func send(_ event: TransportEvent) {
        self.observer?.observe(event, of: self.id)
        self.requestObserver?.observe(event, of: self.id)
    }

    /// A connection is being made for the exchange.
    ///
    /// - Returns: The number under which its events are told.
    fileprivate func beginConnecting() -> UInt64 {
        let number = Self.lastConnect.add(1, ordering: .relaxed).newValue
        self.connecting.store(number, ordering: .relaxed)
        return number
    }

    /// Whether the events of a connection that is being made are the ones that are told.
    fileprivate func isConnecting(_ number: UInt64) -> Bool {
        self.connecting.load(ordering: .relaxed) == number
    }

    /// Tells the last event; only the first of several that claim to be.
    func tellLast(_ event: TransportEvent) {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        self.leaveQueue(at: nil)
        self.send(event)
    }

    /// The exchange waits for a connection from now on.
    func didQueue(at instant: ExchangeMetrics.Instant) {
        guard let metrics else { return }
        self.queued.withLock { $0 = instant }
        metrics.waiting.increment()
        // It may have been cancelled at this very moment.
        if self.isOver.load(ordering: .relaxed) { self.leaveQueue(at: nil) }
    }

    /// A connection was lent to the exchange.
    func didAcquire(_ connectionID: UInt64, isReused: Bool, at instant: ExchangeMetrics.Instant?) {
        self.connecting.store(0, ordering: .relaxed)
        self.tell(.connectionAcquired(id: connectionID, isReused: isReused))
        guard let metrics else { return }
        self.leaveQueue(at: instant)
        metrics.inFlight.increment()
        metrics.started.increment()
        if isReused { metrics.reused.increment() }
    }

    /// The connection was given back.
    func didRelease(_ connectionID: UInt64) {
        self.tell(.connectionReleased(id: connectionID))
        self.metrics?.inFlight.decrement()
    }

    private func leaveQueue(at instant: ExchangeMetrics.Instant?) {
        guard let metrics, let since = self.queued.withLock({ $0.take() }) else { return }
        metrics.waiting.decrement()
        if let instant { metrics.wait.record(duration: instant - since) }
    }
}

/// Reports how a connection is made, as long as the exchange that it is made for waits for it.
///
/// An exchange gets the first connection that is free; events of its own connection would then come in the middle of others.
struct ConnectObservation: Sendable {
    private let exchange: Exchange
    private let number: UInt64

    /// A connection is being made for an exchange.
    init(_ exchange: Exchange) {
        self.exchange = exchange
        self.number = exchange.observation?.beginConnecting() ?? 0
        exchange.noteConnecting(.connect)
    }

    /// The connection has entered a phase.
    func enter(_ phase: ExchangePhase) {
        self.exchange.noteConnecting(phase)
    }

    /// The connection is made, or has failed.
    func end() {
        self.exchange.noteConnecting(nil)
    }

    /// Tells an event.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        guard let observation = self.exchange.observation, observation.isConnecting(self.number) else { return }
        observation.tell(event())
    }
}

extension Exchange {
    /// Tells whoever listens what happens.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        self.observation?.tell(event())
    }
}
