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
        /// The connection attempt whose events are reported; 0 for none.
        var attempt: UInt64 = 0
        /// Whether the exchange has a connection, so that no attempt is made for it.
        var hasConnection = false
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

    /// Reports an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - attempt: The connection attempt that the event is part of; 0 for none.
    ///   - isLast: Whether no other event follows.
    private func send(_ event: TransportEvent, attempt: UInt64 = 0, isLast: Bool = false) {
        let isMine = self.line.withLock { line in
            guard !line.isClosed, attempt == 0 || attempt == line.attempt else { return false }
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
    /// - Returns: The number of the connection attempt.
    fileprivate func beginConnecting() -> UInt64 {
        let number = Self.lastConnect.add(1, ordering: .relaxed).newValue
        self.line.withLock { line in
            // The exchange may have got a connection since the pool decided that one be made for it, and may wait for an
            // earlier attempt: the pool counts the attempts of a queue, and its order has changed if a request was
            // enqueued at the front.
            if !line.hasConnection, line.attempt == 0 { line.attempt = number }
        }
        return number
    }

    /// Notes that a connection attempt has ended: the next one is reported.
    fileprivate func endConnecting(_ number: UInt64) {
        self.line.withLock { if $0.attempt == number { $0.attempt = 0 } }
    }

    /// Reports an event of a connection attempt, while the exchange waits for it.
    fileprivate func tell(_ event: @autoclosure () -> TransportEvent, of attempt: UInt64) {
        guard self.isObserved, !self.isOver.load(ordering: .relaxed) else { return }
        self.send(event(), attempt: attempt)
    }

    /// Reports the last event; of several calls, only the first has an effect.
    func tellLast(_ event: TransportEvent) {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        self.leaveQueue(at: nil)
        if self.isObserved { self.send(event, isLast: true) }
    }

    /// Notes that the exchange waits for a connection from now on.
    func didQueue(at instant: ExchangeMetrics.Instant) {
        self.line.withLock { $0.hasConnection = false }
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
        self.line.withLock { ($0.attempt, $0.hasConnection) = (0, true) }
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
        self.exchange.observation?.tell(event(), of: self.number)
    }

    /// Reports the last event of the attempt.
    func tellEnd(_ event: @autoclosure () -> TransportEvent) {
        self.tell(event())
        self.exchange.observation?.endConnecting(self.number)
    }
}

extension Exchange {
    /// Reports an event to the observers, if there are any.
    func tell(_ event: @autoclosure () -> TransportEvent) {
        self.observation?.tell(event())
    }
}
