// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization

/// Tells what happens to one exchange, to an observer and to the metrics of the pool; there is none where nobody listens.
final class ExchangeObservation: Sendable {
    private static let lastID = Atomic<UInt64>(0)
    private static let lastConnect = Atomic<UInt64>(0)

    private let id: ExchangeID
    private let observer: (any TransportObserver)?
    private let metrics: PoolMetrics?
    /// When it began to wait for a connection.
    private let queued = Mutex<ExchangeMetrics.Instant?>(nil)
    private let isOver = Atomic(false)
    /// Which of the connections that were made for it is told of; 0 for none.
    private let connecting = Atomic<UInt64>(0)

    init(observer: (any TransportObserver)?, metrics: PoolMetrics?) {
        self.id = ExchangeID(number: Self.lastID.add(1, ordering: .relaxed).newValue)
        self.observer = observer
        self.metrics = metrics
    }

    /// Tells an event, unless the last one has been told.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        guard let observer, !self.isOver.load(ordering: .relaxed) else { return }
        observer.observe(event(), of: self.id)
    }

    /// A connection is being made for the exchange.
    ///
    /// - Returns: Whom to tell of it; nil if nobody wants to know.
    func beginConnecting() -> ConnectObservation? {
        guard self.observer != nil else { return nil }
        let number = Self.lastConnect.add(1, ordering: .relaxed).newValue
        self.connecting.store(number, ordering: .relaxed)
        return ConnectObservation(exchange: self, number: number)
    }

    /// Whether a connection that is being made is the one that is told of.
    fileprivate func isConnecting(_ number: UInt64) -> Bool {
        self.connecting.load(ordering: .relaxed) == number
    }

    /// Tells the last event; only the first of several that claim to be.
    func tellLast(_ event: TransportEvent) {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        self.leaveQueue(at: nil)
        self.observer?.observe(event, of: self.id)
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

/// Tells how a connection is made, as long as the exchange that it is made for waits for it.
///
/// An exchange gets the first connection that is free; what then becomes of its own would come in the middle of other events.
struct ConnectObservation: Sendable {
    fileprivate let exchange: ExchangeObservation
    fileprivate let number: UInt64

    /// Tells an event.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        if self.exchange.isConnecting(self.number) { self.exchange.tell(event()) }
    }
}

extension Exchange {
    /// Tells whoever listens what happens.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        self.observation?.tell(event())
    }
}
