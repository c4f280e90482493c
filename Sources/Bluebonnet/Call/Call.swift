// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import Synchronization

/// One call of a session, from the function that makes it to the last byte of its response.
///
/// A call may take several exchanges: a retry is another attempt, a redirect another hop. Interceptors access the call
/// through ``Chain/call``; observers receive it with each event.
public final class Call: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Identifies a call among those of the process.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// A number, counted from 1.
        public let number: UInt64

        /// A number sign and the number.
        public var description: String { "#\(self.number)" }
    }

    private struct State {
        var attempt = 1
        var hop = 1
        var exchangeCount = 0
        /// Whether the call has waited for the exchange of another call.
        var hasJoinedExchange = false
        var isRequestSent = false
        /// Whether every exchange so far has left a body that can be read only once as it was; nil before the first.
        var leavesBody: Bool?
        /// Whether any byte of an earlier attempt may have been sent.
        var wasRequestSent = false
        var activity = CallActivity.chain
        var isFinished = false
        /// Whether the call holds a place among the calls of its session, given back at its end.
        var holdsPlace = false
        /// The URL that was parsed last, so that no stage parses it again.
        var parsed: (url: URL, target: RequestTarget)?

        func target(of url: URL) -> RequestTarget? {
            guard let parsed, parsed.url == url else { return nil }
            return parsed.target
        }
    }

    /// The identity of the call.
    public let id: ID

    /// The request as the caller made it, before any interceptor.
    public let originalRequest: Request

    /// The clock that measures the call.
    public var clock: SessionClock { self.environment.clock }

    /// When the call was made.
    public let started: SessionClock.Instant

    /// When the call ends with ``SessionError/Code/timedOut``; nil if it has no total limit.
    ///
    /// Everything counts against it: the session's queue, a suspended task, interceptors, delays between attempts, exchanges.
    public let deadline: SessionClock.Instant?

    /// The caller's settings besides the request.
    let handling: CallHandling

    /// What the call shares with the others of its session.
    let environment: CallEnvironment

    private let state = Mutex(State())

    private static let lastID = Atomic<UInt64>(0)

    /// The call that waits for the code that runs in this task; set only where a call inside a call must be told apart.
    @TaskLocal static var current: Call?

    /// Creates a call that belongs to no session, to test an interceptor by itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clock: The clock; the system's unless given.
    public convenience init(_ request: Request, clock: SessionClock = .system) {
        self.init(request, CallHandling(), CallEnvironment(clock: clock), totalTimeout: nil)
    }

    init(
        _ request: Request,
        _ handling: consuming CallHandling,
        _ environment: CallEnvironment,
        totalTimeout: Duration?
    ) {
        self.id = ID(number: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
        self.originalRequest = request
        self.handling = handling
        self.environment = environment
        self.started = environment.clock.now
        self.deadline = totalTimeout.map { [started] in started.advanced(by: max($0, .zero)) }
    }

    // The owner of a call ends it. A call that is deallocated before its end gives its place back, but sends no event:
    // an observer could retain it.
    deinit { if self.state.withLock({ $0.holdsPlace }) { self.environment.admission?.leave() } }

    /// The number of the attempt under way, counted from 1; a retry begins another one.
    public var attempt: Int { self.state.withLock { $0.attempt } }

    /// The number of the hop under way within the attempt, counted from 1; following a redirect begins another one.
    public var hop: Int { self.state.withLock { $0.hop } }

    /// The number of exchanges that have begun, in any stage or interceptor: 1 while the first is under way.
    public var exchangeCount: Int { self.state.withLock { $0.exchangeCount } }

    /// The time left until ``deadline``; nil if the call has no total limit, never negative.
    public var remaining: Duration? {
        self.deadline.map { max(self.clock.now.duration(to: $0), .zero) }
    }

    /// Sends an event to the session's observers.
    ///
    /// - Parameter event: The event; it is evaluated only if there are observers.
    public func tell(_ event: @autoclosure () -> CallEvent) {
        guard !self.environment.observers.isEmpty else { return }
        let event = event()
        for observer in self.environment.observers { observer.observe(event, of: self) }
    }

    /// Makes a call for a request that a stage sends by itself; it has the same session, clock and observers, and its
    /// own limit.
    func makeNested(_ request: Request, _ handling: CallHandling, limit: Duration?) -> Call {
        Call(request, handling, self.environment, totalTimeout: limit)
    }

    /// Whether there are observers.
    var isObserved: Bool { !self.environment.observers.isEmpty }

    /// Whether the last event of the call has been sent.
    var isFinished: Bool { self.state.withLock { $0.isFinished } }

    /// Begins another attempt, with its first hop.
    ///
    /// - Returns: Whether any byte of the attempt before it may have been sent, so far.
    @discardableResult
    func beginAttempt() -> Bool {
        self.state.withLock { state in
            let isRequestSent = state.isRequestSent
            if isRequestSent { state.wasRequestSent = true }
            (state.attempt, state.hop, state.isRequestSent) = (state.attempt + 1, 1, false)
            return isRequestSent
        }
    }

    /// Records that the exchange has a response, or has failed.
    ///
    /// - Parameters:
    ///   - isRequestSent: Whether any byte of its request may have been sent.
    ///   - leavesBody: Whether its body can be read only once and was not begun.
    func endExchange(isRequestSent: Bool, leavesBody: Bool = false) {
        self.state.withLock { state in
            state.activity = .chain
            if isRequestSent { state.isRequestSent = true }
            state.leavesBody = leavesBody && state.leavesBody != false
        }
    }

    /// Whether a body can be sent in another exchange: one that can be read only once, if all exchanges so far held it
    /// back for 100 (Continue).
    func canSend(_ body: RequestBody) -> Bool { body.isReplayable || self.leavesBody }

    /// Whether there was an exchange, and none has begun a body that can be read only once.
    var leavesBody: Bool { self.state.withLock { $0.leavesBody == true } }

    /// Whether any byte of the attempt may have been sent, over all its hops.
    var isRequestSent: Bool {
        get { self.state.withLock { $0.isRequestSent } }
        set {
            self.state.withLock { state in
                if state.isRequestSent { state.wasRequestSent = true }
                state.isRequestSent = newValue
            }
        }
    }

    /// Whether any byte of this attempt, or of an earlier one, may have been sent.
    var isAnyAttemptSent: Bool { self.state.withLock { $0.isRequestSent || $0.wasRequestSent } }

    /// Begins another hop of the attempt.
    func beginHop() {
        self.state.withLock { $0.hop += 1 }
    }

    /// Counts an exchange, which the call waits for from now on.
    func beginExchange() {
        self.state.withLock { ($0.exchangeCount, $0.activity) = ($0.exchangeCount + 1, .exchange) }
    }

    /// Records that the call waits for the exchange of another call, which sends its request, too.
    func joinExchange() {
        self.state.withLock { ($0.hasJoinedExchange, $0.activity) = (true, .exchange) }
    }

    /// Whether an exchange has begun that the call has waited for.
    var hasBegunExchange: Bool { self.state.withLock { $0.exchangeCount > 0 || $0.hasJoinedExchange } }

    /// The parsed form of a URL of the call.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - isLast: Whether no other stage will need it, so that it is not kept.
    /// - Returns: Its parts.
    /// - Throws: `SessionError` with `invalidURL`.
    func target(of url: URL, isLast: Bool = false) throws(SessionError) -> RequestTarget {
        if let known = self.state.withLock({ $0.target(of: url) }) { return known }
        let target = try RequestTarget(url)
        if !isLast { self.state.withLock { $0.parsed = (url, target) } }
        return target
    }

    /// What the call is waiting for.
    var activity: CallActivity {
        get { self.state.withLock { $0.activity } }
        set { self.state.withLock { $0.activity = newValue } }
    }

    /// Keeps the place that the session has given to the call, which is given back when the call ends.
    func holdPlace() {
        let isFinished = self.state.withLock { state in
            if !state.isFinished { state.holdsPlace = true }
            return state.isFinished
        }
        if isFinished { self.environment.admission?.leave() }
    }

    /// Ends the call once: gives its place back and tells the observers.
    func finish(_ end: CallEnd) {
        let (isFirst, holdsPlace) = self.state.withLock { state in
            defer { (state.isFinished, state.holdsPlace) = (true, false) }
            return (!state.isFinished, state.holdsPlace)
        }
        guard isFirst else { return }
        self.handling.monitor?.finish()
        if holdsPlace { self.environment.admission?.leave() }
        switch end {
        case .completed: self.tell(.callEnded)
        case .failed(let error): self.tell(.callFailed(error))
        case .cancelled: self.tell(.callCancelled)
        }
    }

    /// Ends the call with an error.
    ///
    /// - Returns: What the caller gets: a `SessionError`, or `CancellationError`.
    func fail(_ error: any Error, source: SessionError.Source) -> any Error {
        let error = SessionError.wrapping(error, request: self.originalRequest, source: source)
        guard var error = error as? SessionError else {
            self.finish(.cancelled)
            return error
        }
        error.decoder = error.decoder ?? self.handling.decoder
        // An interceptor may have sent the request before the exchange that failed.
        if self.isAnyAttemptSent { error.isRequestSent = true }
        self.finish(.failed(error))
        return error
    }
}

/// How a call ended.
enum CallEnd {
    case completed
    case failed(SessionError)
    case cancelled
}
