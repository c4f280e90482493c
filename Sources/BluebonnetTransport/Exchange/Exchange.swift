// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// One call of ``NIOTransport/exchange(_:)``, from its start until its caller is resumed.
///
/// It is shared by the caller's task, the pool and the connection's event loop. It resumes the caller exactly once,
/// with whichever comes first: a response, an error, a timeout or a cancellation. Decisions are made under the lock;
/// the caller is resumed outside it.
final class Exchange: Sendable {
    /// Where the exchange stands.
    private enum State {
        /// Created; the caller does not wait yet.
        case created
        /// The caller waits for a response; `cancel` is the current cancellation action.
        ///
        /// The continuation is unsafe because a checked one would be one more object per exchange; this type ensures
        /// that it is resumed once.
        case waiting(UnsafeContinuation<TransportResponse, any Error>, cancel: (@Sendable () -> Void)?)
        /// Cancelled before the caller began to wait.
        case cancelledEarly
        /// Cancelled while it was on no connection: the caller reports it to the observers.
        case cancelled
        case answered
    }

    let request: TransportRequest
    /// The route to its origin.
    let route: Route
    /// The credentials for the forwarding proxy; nil if there are none, or no such proxy.
    let proxyAuthorization: ProxyAuthorization?
    let started: ExchangeMetrics.Instant
    /// The deadline of the whole exchange.
    let totalDeadline: NIODeadline?
    /// Whether it was tried before on a connection that was dead; one retry is allowed.
    let wasRetried = Atomic(false)
    /// Whether it was refused before the peer announced how many exchanges it carries; one further retry is allowed.
    let wasRefusedEarly = Atomic(false)
    /// Whether the request had been sent on that connection, so that the peer may have acted on it.
    let wasSent = Atomic(false)
    /// Whether the peer requires HTTP/1.1; that happens at most once, because HTTP/1.1 has no such error.
    let requiresHTTP1 = Atomic(false)

    /// Whether production of the request's body has begun: one that can be read only once is lost with a connection
    /// from then on.
    private let isBodyBegun = Atomic(false)

    /// Whether an expectation was refused, so that the request is sent without it; that happens at most once.
    let omitsExpectation = Atomic(false)

    let clock: EngineClock
    /// Receives the events of the exchange; nil if there is no observer.
    let observation: ExchangeObservation?

    /// The phase of the connection that is being made for it, as an index into all phases; negative if none is being
    /// made.
    private let connecting = Atomic<Int>(-1)

    /// When it began to wait for a connection, in nanoseconds after its start; negative before it does.
    private let waitOffset = Atomic<Int64>(-1)

    private let state = Mutex(State.created)

    /// Whether the caller waits for a result; written under the lock and read without it, because the pool reads it
    /// inside its own lock.
    private let hasCaller = Atomic(false)

    init(
        _ request: TransportRequest,
        route: Route = .direct,
        proxyAuthorization: ProxyAuthorization? = nil,
        clock: EngineClock = .system,
        observation: ExchangeObservation? = nil
    ) {
        self.request = request
        self.route = route
        self.proxyAuthorization = proxyAuthorization
        self.observation = observation
        self.clock = clock
        self.started = clock.instant()
        self.totalDeadline = request.timeouts.total.map { clock.now() + TimeAmount($0) }
    }

    /// The key that its connection must match.
    var key: PoolKey {
        var key = PoolKey(self.request, route: self.route)
        if self.requiresHTTP1.load(ordering: .relaxed) { key.requiresHTTP1 = true }
        return key
    }

    /// Whether the body can be sent: one that can be read only once is whole while it is held back for 100 (Continue).
    var canSendBody: Bool { self.request.body.isReplayable || !self.isBodyBegun.load(ordering: .relaxed) }

    /// Records that production of the body begins.
    func noteBodyBegun() { self.isBodyBegun.store(true, ordering: .relaxed) }

    /// How long to hold the body back for `100 Continue`; nil if the request is sent without that expectation.
    var continuePatience: Duration? {
        self.omitsExpectation.load(ordering: .relaxed) ? nil : self.request.continueTimeout
    }

    /// Whether it may not be refused by a connection that carries too many exchanges: a body that can be read only once
    /// would be lost, unless it is held back.
    var needsKnownCapacity: Bool { !self.request.body.isReplayable && self.continuePatience == nil }

    /// The phase of the connection that is being made for it; nil if none is being made.
    var connectingPhase: ExchangePhase? {
        let place = self.connecting.load(ordering: .relaxed)
        return place < 0 ? nil : ExchangePhase.allCases[place]
    }

    /// Records the phase of the connection that is being made for it.
    func noteConnecting(_ phase: ExchangePhase?) {
        let place = phase.flatMap { ExchangePhase.allCases.firstIndex(of: $0) } ?? -1
        self.connecting.store(place, ordering: .relaxed)
    }

    /// Records that it waits for a connection from now on.
    func noteWaiting() {
        // The first wait starts together with the exchange.
        guard !self.waitOffset.compareExchange(expected: -1, desired: 0, ordering: .relaxed).exchanged else { return }
        let offset = TimeAmount(self.started.duration(to: self.clock.instant()))
        self.waitOffset.store(offset.nanoseconds, ordering: .relaxed)
    }

    /// When it began to wait for its current or pending connection.
    var queueStarted: ExchangeMetrics.Instant {
        let offset = self.waitOffset.load(ordering: .relaxed)
        return offset > 0 ? self.started.advanced(by: .nanoseconds(offset)) : self.started
    }

    /// Whether the caller still waits for a result; takes no lock.
    ///
    /// The caller may be resumed, or cancel, at any moment after this was read.
    var isWaiting: Bool { self.hasCaller.load(ordering: .relaxed) }

    /// Registers the caller's continuation.
    ///
    /// - Returns: Whether the exchange should continue; false if it was cancelled already, in which case the caller has
    ///   been resumed.
    func wait(_ continuation: UnsafeContinuation<TransportResponse, any Error>) -> Bool {
        let isCancelled = self.state.withLock { state in
            switch state {
            case .cancelledEarly:
                state = .cancelled
                return true
            default:
                state = .waiting(continuation, cancel: nil)
                self.hasCaller.store(true, ordering: .relaxed)
                return false
            }
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// Sets the cancellation action.
    ///
    /// - Returns: False if the exchange is over, so that any work begun for it must be stopped.
    func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
        self.state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return false }
            state = .waiting(continuation, cancel: action)
            return true
        }
    }

    /// Resumes the caller with a result, unless that has happened already.
    ///
    /// - Returns: Whether this call resumed the caller.
    @discardableResult
    func answer(_ result: Result<TransportResponse, any Error>) -> Bool {
        let continuation = self.state.withLock { state -> UnsafeContinuation<TransportResponse, any Error>? in
            guard case .waiting(let continuation, _) = state else { return nil }
            state = .answered
            self.hasCaller.store(false, ordering: .relaxed)
            return continuation
        }
        guard let continuation else { return false }
        var result = result
        if case .failure(var error as TransportError) = result {
            if self.wasSent.load(ordering: .relaxed) { error.isRequestSent = true }
            result = .failure(error)
            self.observation?.tellLast(.failed(error))
        }
        continuation.resume(with: result)
        return true
    }

    /// Cancels the exchange: the caller is resumed at once, and work in progress is stopped.
    ///
    /// It is called with a lock of the caller's task held, so it wakes up no other task and calls no observer.
    func cancel() {
        let (continuation, action) = self.state.withLock {
            state -> (UnsafeContinuation<TransportResponse, any Error>?, (@Sendable () -> Void)?) in
            switch state {
            case .created:
                state = .cancelledEarly
                return (nil, nil)
            case .waiting(let continuation, let action):
                // If the exchange is on a connection, that connection reports the event, after the events before it.
                state = action == nil ? .cancelled : .answered
                self.hasCaller.store(false, ordering: .relaxed)
                return (continuation, action)
            case .cancelledEarly, .cancelled, .answered:
                return (nil, nil)
            }
        }
        action?()
        continuation?.resume(throwing: CancellationError())
    }

    /// Reports a cancellation to the observers, unless a connection does; called by the caller after its wait.
    func reportCancellation() {
        let isMine = self.state.withLock { state in
            guard case .cancelled = state else { return false }
            state = .answered
            return true
        }
        if isMine { self.observation?.tellLast(.cancelled) }
    }
}
