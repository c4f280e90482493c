// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a call is waiting for; an error about its deadline names it.
enum CallActivity: String, Sendable {
    case queue = "it was waiting for a place among the session's maximumConcurrentRequests"
    case suspension = "its task was suspended"
    case authentication = "it was waiting for a new access token"
    case nonce = "it was waiting for other calls, which were answering a challenge of the same realm"
    case chain = "an interceptor had not returned"
    case decision = "a function of the program had not decided"
    case redirect = "it was waiting for the time that a redirect had asked for"
    case exchange = "its exchange with the server was under way"
    case body =
        "the body of its response, which an interceptor or a cache store takes part in, had not ended"

    /// Whether a faster server, or a faster connection, would end the wait.
    ///
    /// An interceptor may do anything, and the exchange may be about to begin.
    var isOfServer: Bool {
        switch self {
        case .queue, .suspension, .authentication, .nonce, .decision, .redirect: false
        case .chain, .exchange, .body: true
        }
    }
}

extension Call {
    /// Runs a part of the call, until the call's deadline at the latest.
    ///
    /// Without a deadline this costs nothing. With one, the work runs in a child task that is cancelled at the deadline.
    ///
    /// - Throws: ``SessionError/Code/timedOut`` at the deadline; what the work throws.
    func bounded<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let deadline else { return try await work() }
        return try await self.bounded(by: deadline, work)
    }

    /// A separate function, so that callers without a deadline do not reserve memory for it.
    @inline(never)
    private func bounded<Value: Sendable>(
        by deadline: SessionClock.Instant,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await self.clock.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            // A group of two tasks always has a first result.
            guard let value = try await group.next() ?? nil else { throw self.deadlineError }
            return value
        }
    }

    /// Runs code of the program that the call waits for: until the call's deadline, and with a place beyond the session's limit for calls that
    /// it makes itself, because this call keeps its own meanwhile.
    func runProgramCode<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await Self.$current.withValue(self) { try await self.bounded(work) }
    }

    /// How long a store may wait for another process on behalf of the call that runs in this task: half of the time that
    /// the call has left, so that the server's response has the rest; nil without a limit.
    package static var storePatience: Duration? {
        guard let call = Self.current, !call.isFinished else { return nil }
        return call.remaining.map { $0 / 2 }
    }

    /// Waits for work that the response does not depend on, for half of the time that the call has left.
    ///
    /// - Parameter work: The work; it ends its wait when its task is cancelled.
    func waitBriefly(for work: @escaping @Sendable () async -> Void) async {
        guard let remaining = self.remaining else { return await work() }
        let end = self.clock.now.advanced(by: remaining / 2)
        try? await self.bounded(by: end, work)
    }

    /// Waits between two steps of the call.
    ///
    /// - Throws: As ``pause(_:)``.
    func sleep(for delay: Duration) async throws {
        try await self.pause { try await self.clock.sleep(for: delay) }
    }

    /// Checks that the call may begin another exchange, on whatever transport: a session that has been shut down sends
    /// nothing more.
    ///
    /// - Throws: ``SessionError/Code/shutDown``.
    func checkSession() throws(SessionError) {
        do {
            try self.environment.admission?.checkExchange()
        } catch {
            var error = error
            error.isRequestSent = self.isAnyAttemptSent
            throw error
        }
    }

    /// Waits for anything between two steps of the call.
    ///
    /// - Parameter wait: The wait; it throws no session error.
    /// - Returns: What the wait returns.
    /// - Throws: ``SessionError/Code/shutDown`` as soon as the session is shut down, because the next step would fail; `CancellationError`
    ///   when the task is cancelled.
    func pause<Value: Sendable>(_ wait: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let admission = self.environment.admission else { return try await wait() }
        do {
            return try await admission.pause(until: .ended, wait)
        } catch var error as SessionError {
            error.isRequestSent = self.isAnyAttemptSent
            throw error
        }
    }

    /// Waits while the task of the call is suspended: a suspended task begins no exchange.
    ///
    /// - Throws: ``SessionError/Code/timedOut`` at the call's deadline; `CancellationError` when the task is cancelled.
    func waitWhileSuspended() async throws {
        if let gate = self.handling.gate { try await self.pass(gate) }
    }

    /// Passes the gate of a suspended task, no later than the call's deadline.
    func pass(_ gate: SuspensionGate) async throws {
        guard gate.isClosed else { return }
        let before = self.activity
        self.activity = .suspension
        try await self.bounded { try await gate.pass() }
        self.activity = before
    }

    /// Converts an error of the transport into one of the session; the one about the total limit states that of the
    /// call, and what the call is waiting for.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request of the exchange.
    /// - Returns: A `SessionError`, or an unchanged `CancellationError`.
    func wrapping(_ error: any Error, of request: Request) -> any Error {
        guard self.deadline != nil, let error = error as? TransportError, error.code == .timedOut, error.phase == .total
        else { return SessionError.wrapping(error, request: request, source: .transport) }
        return self.deadlineError(error, error.isRequestSent, error.requestBodyByteCount)
    }

    /// Converts an error of a call that was made for this one, with what was left of its limit; the one about the total
    /// limit states the whole.
    func restating(_ error: any Error) -> any Error {
        guard self.deadline != nil, let error = error as? SessionError, error.code == .timedOut, error.phase == .total
        else { return error }
        return self.deadlineError(error.underlying, error.isRequestSent, error.requestBodyByteCount)
    }

    /// The error for a call whose total limit has passed before an exchange began.
    var passedDeadlineError: SessionError {
        var error = self.deadlineError(waiting: "it had passed before the request was sent")
        error.isRequestSent = self.isAnyAttemptSent
        return error
    }

    private func deadlineError(
        _ underlying: (any Error)?,
        _ isRequestSent: Bool,
        _ requestBodyByteCount: Int64
    ) -> SessionError {
        // Where the transport knows what the exchange was waiting for, it says more than the activity of the call.
        let phase = (underlying as? TransportError)?.phaseUnderWay
        var error = phase.map { self.deadlineError(waiting: $0.clause) } ?? self.deadlineError
        error.underlying = underlying
        error.isRequestSent = isRequestSent
        error.requestBodyByteCount = requestBodyByteCount
        return error
    }

    /// The error for a call that has exceeded its total limit.
    var deadlineError: SessionError {
        var error = self.deadlineError(waiting: self.activity.rawValue)
        // An exchange that is under way may have sent any part of the request.
        error.isRequestSent = self.hasBegunExchange
        return error
    }

    private func deadlineError(waiting clause: String) -> SessionError {
        let limit = self.deadline.map { self.started.duration(to: $0) } ?? .zero
        return SessionError(
            .timedOut,
            reason: "the call did not end within its total limit of \(limit); \(clause)",
            request: self.originalRequest,
            phase: .total
        )
    }
}
