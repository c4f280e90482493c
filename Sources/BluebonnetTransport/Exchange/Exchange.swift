// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// One call of ``NIOTransport/exchange(_:)``, from its start to the moment its caller is answered.
///
/// It is shared by the caller's task, the pool and the connection's event loop, and makes sure that the caller is resumed exactly once,
/// whichever of a response, an error, a timeout and a cancellation comes first. Decisions are made under the lock; resuming happens outside.
final class Exchange: Sendable {
    /// Where the exchange stands.
    private enum State {
        /// Made, its caller not yet waiting.
        case created
        /// The caller waits for a response; `cancel` is what cancellation has to do now.
        ///
        /// The continuation is not a checked one, which would be one more object for each exchange: this type is there so that it is
        /// resumed once.
        case waiting(UnsafeContinuation<TransportResponse, any Error>, cancel: (@Sendable () -> Void)?)
        /// Cancelled before the caller began to wait.
        case cancelledEarly
        case answered
    }

    let request: TransportRequest
    /// How it gets to its origin.
    let route: Route
    /// The credentials for the proxy that forwards it; nil where there are none, or no such proxy.
    let proxyAuthorization: ProxyAuthorization?
    let started: ExchangeMetrics.Instant
    /// When the whole exchange has to be over.
    let totalDeadline: NIODeadline?
    /// Whether it was tried before on a connection that turned out to be dead; once is all there is.
    let wasRetried = Atomic(false)
    /// Whether that connection had been sent the request, so that the peer may have acted on it.
    let wasSent = Atomic(false)
    /// Whether the peer wants it over HTTP/1.1; that is said at most once, since nobody can say it there.
    let requiresHTTP1 = Atomic(false)

    let clock: EngineClock
    /// Is told what happens; nil where nobody listens.
    let observation: ExchangeObservation?

    /// The phase of the connection that is being made for it, as a place among all phases; negative where none is being made.
    private let connecting = Atomic<Int>(-1)

    /// When it began to wait for a connection, in nanoseconds after its start; negative before it does.
    private let waitOffset = Atomic<Int64>(-1)

    private let state = Mutex(State.created)

    /// Whether the caller waits for an answer; written under the lock, and read without it, because the pool asks inside its own.
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

    /// What its connection has to match.
    var key: PoolKey {
        var key = PoolKey(self.request, route: self.route)
        if self.requiresHTTP1.load(ordering: .relaxed) { key.requiresHTTP1 = true }
        return key
    }

    /// The phase of the connection that is being made for it; nil where none is being made.
    var connectingPhase: ExchangePhase? {
        let place = self.connecting.load(ordering: .relaxed)
        return place < 0 ? nil : ExchangePhase.allCases[place]
    }

    /// Notes the phase of the connection that is being made for it.
    func noteConnecting(_ phase: ExchangePhase?) {
        let place = phase.flatMap { ExchangePhase.allCases.firstIndex(of: $0) } ?? -1
        self.connecting.store(place, ordering: .relaxed)
    }

    /// Notes that it waits for a connection from now on.
    func noteWaiting() {
        // The first time it has only just begun.
        guard !self.waitOffset.compareExchange(expected: -1, desired: 0, ordering: .relaxed).exchanged else { return }
        let offset = TimeAmount(self.started.duration(to: self.clock.instant()))
        self.waitOffset.store(offset.nanoseconds, ordering: .relaxed)
    }

    /// When it began to wait for the connection that it has, or waits for.
    var queueStarted: ExchangeMetrics.Instant {
        let offset = self.waitOffset.load(ordering: .relaxed)
        return offset > 0 ? self.started.advanced(by: .nanoseconds(offset)) : self.started
    }

    /// Whether the caller still waits for an answer; takes no lock.
    ///
    /// A caller may be answered, or cancel, at any moment after this was read.
    var isWaiting: Bool { self.hasCaller.load(ordering: .relaxed) }

    /// Lets the caller wait.
    ///
    /// - Returns: Whether the exchange should go on; false if it was cancelled already (the caller is then resumed).
    func wait(_ continuation: UnsafeContinuation<TransportResponse, any Error>) -> Bool {
        let isCancelled = self.state.withLock { state in
            switch state {
            case .cancelledEarly:
                state = .answered
                return true
            default:
                state = .waiting(continuation, cancel: nil)
                self.hasCaller.store(true, ordering: .relaxed)
                return false
            }
        }
        if isCancelled {
            self.observation?.tellLast(.cancelled)
            continuation.resume(throwing: CancellationError())
        }
        return !isCancelled
    }

    /// Sets the action of a cancellation.
    ///
    /// - Returns: False if the exchange is over, so that whatever was begun for it has to end.
    func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
        self.state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return false }
            state = .waiting(continuation, cancel: action)
            return true
        }
    }

    /// Answers the caller, unless that has happened.
    ///
    /// - Returns: Whether this call was the one that answered.
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

    /// Cancels: the caller is answered at once, and what was under way ends.
    func cancel() {
        let (continuation, action) = self.state.withLock {
            state -> (UnsafeContinuation<TransportResponse, any Error>?, (@Sendable () -> Void)?) in
            switch state {
            case .created:
                state = .cancelledEarly
                return (nil, nil)
            case .waiting(let continuation, let action):
                state = .answered
                self.hasCaller.store(false, ordering: .relaxed)
                return (continuation, action)
            case .cancelledEarly, .answered:
                return (nil, nil)
            }
        }
        // On a connection it is told there, after what happened before.
        if let action { action() } else if continuation != nil { self.observation?.tellLast(.cancelled) }
        continuation?.resume(throwing: CancellationError())
    }
}
