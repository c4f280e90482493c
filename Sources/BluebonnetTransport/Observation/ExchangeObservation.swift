// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization

/// Reports the events of one exchange to observers and to the pool's metrics; none exists if there is neither.
///
/// Events come from event loops and from the caller's task. An event that comes while an observer is busy with another one is
/// reported by the thread of that one, afterwards: observers get one after another, and none after the last.
final class ExchangeObservation: Sendable {
    /// The events that wait for an observer.
    private struct Line {
        var events: [TransportEvent] = []
        /// Whether a thread is reporting.
        var isReporting = false
        /// Whether the last event has come.
        var isClosed = false
    }

    private static let lastID = Atomic<UInt64>(0)
    private static let lastConnect = Atomic<UInt64>(0)

    private let id: ExchangeID
    /// The transport's observer.
    private let observer: (any TransportObserver)?
    /// The request's observer.
    private let requestObserver: (any TransportObserver)?
    private let metrics: PoolMetrics?
    /// When the exchange began to wait for a connection.
    private let queued = Mutex<ExchangeMetrics.Instant?>(nil)
    private let isOver = Atomic(false)
    private let line = Mutex(Line())
    /// The connection attempt whose events are reported; 0 for none.
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

    /// Reports an event, unless the last one has been reported.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        guard self.isObserved, !self.isOver.load(ordering: .relaxed) else { return }
        self.send(event())
    }

    private var isObserved: Bool { self.observer != nil || self.requestObserver != nil }

    private func send(_ event: TransportEvent, isLast: Bool = false) {
        let isMine = self.line.withLock { line in
            guard !line.isClosed else { return false }
            line.isClosed = isLast
            if line.isReporting { line.events.append(event) }
            defer { line.isReporting = true }
            return !line.isReporting
        }
        guard isMine else { return }
        self.report(event)
        while let next = self.takeNext() { self.report(next) }
    }

    private func takeNext() -> TransportEvent? {
        self.line.withLock { line in
            guard line.events.isEmpty else { return line.events.removeFirst() }
            line.isReporting = false
            return nil
        }
    }

    private func report(_ event: TransportEvent) {
        self.observer?.observe(event, of: self.id)
        self.requestObserver?.observe(event, of: self.id)
    }

    /// Notes that a connection is being made for the exchange.
    ///
    /// - Returns: The number of the connection attempt, for ``isConnecting(_:)``.
    fileprivate func beginConnecting() -> UInt64 {
        let number = Self.lastConnect.add(1, ordering: .relaxed).newValue
        self.connecting.store(number, ordering: .relaxed)
        return number
    }

    /// Whether the events of this connection attempt are the ones to report.
    fileprivate func isConnecting(_ number: UInt64) -> Bool {
        self.connecting.load(ordering: .relaxed) == number
    }

    /// Reports the last event; of several calls, only the first has an effect.
    func tellLast(_ event: TransportEvent) {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        self.leaveQueue(at: nil)
        if self.isObserved { self.send(event, isLast: true) }
    }

    /// Notes that the exchange waits for a connection from now on.
    func didQueue(at instant: ExchangeMetrics.Instant) {
        guard let metrics else { return }
        // One that gets a connection which has just ended waits again, and is counted once.
        let isNew = self.queued.withLock { queued in
            defer { queued = instant }
            return queued == nil
        }
        if isNew { metrics.waiting.increment() }
        // The exchange may have been cancelled at this moment.
        if self.isOver.load(ordering: .relaxed) { self.leaveQueue(at: nil) }
    }

    /// Reports that a connection was leased to the exchange.
    func didAcquire(_ connectionID: UInt64, isReused: Bool, at instant: ExchangeMetrics.Instant?) {
        self.connecting.store(0, ordering: .relaxed)
        self.tell(.connectionAcquired(id: connectionID, isReused: isReused))
        guard let metrics else { return }
        self.leaveQueue(at: instant)
        metrics.inFlight.increment()
        metrics.started.increment()
        if isReused { metrics.reused.increment() }
    }

    /// Reports that the connection was returned.
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

/// Reports how a connection is made, while the exchange that it is made for still waits for it.
///
/// An exchange uses the first connection that is free; after that, the events of its own connection would interleave
/// with those of the other.
struct ConnectObservation: Sendable {
    private let exchange: Exchange
    private let number: UInt64

    /// Notes that a connection is being made for an exchange.
    init(_ exchange: Exchange) {
        self.exchange = exchange
        self.number = exchange.observation?.beginConnecting() ?? 0
        exchange.noteConnecting(.connect)
    }

    /// Notes that the connection has entered a phase.
    func enter(_ phase: ExchangePhase) {
        self.exchange.noteConnecting(phase)
    }

    /// Notes that the connection is established, or has failed.
    func end() {
        self.exchange.noteConnecting(nil)
    }

    /// Reports an event.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        guard let observation = self.exchange.observation, observation.isConnecting(self.number) else { return }
        observation.tell(event())
    }
}

extension Exchange {
    /// Reports an event to the observers, if there are any.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        self.observation?.tell(event())
    }
}
