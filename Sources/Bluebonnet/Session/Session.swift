// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import BluebonnetTransport
import Synchronization

/// Sends requests: the chain from a `Request` to a response, with the limits, interceptors and observers of its configuration.
///
/// One session serves a whole program; it may be used from any task, and its connections are kept and shared. For paths that are
/// relative to a base URL, parameters and typed responses see ``HTTPSession``.
///
/// ```swift
/// let session = Session()
/// let response = try await session.response(for: Request(url: url))
/// ```
public final class Session: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The configuration of the session.
    public let configuration: Configuration

    /// The transport of the session.
    public let transport: any Transport

    let admission: Admission
    let registry = TaskRegistry()
    let stages: StageList
    private let environment: CallEnvironment
    private let optionRules: OptionRules
    /// The limit on the whole of each call without its own.
    private let totalTimeout: Duration?
    private let runsProgramCode: Bool
    /// Repeats requests with their own policy; nil if it is among the stages already.
    private let retryStage: RetryStage?
    private let ownsTransport: Bool
    /// The error in the configuration; every call fails with it.
    private let fault: SessionError?
    private let isEndWatched = Atomic(false)

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - transport: The transport. The session does not shut it down, because others may use it too. Without one, the
    ///     session makes its own engine if the configuration has settings for it (``Configuration/engine``), and
    ///     otherwise uses the shared engine, `NIOTransport.shared`.
    public convenience init(configuration: Configuration = Configuration(), transport: (any Transport)? = nil) {
        self.init(configuration, transport, home: nil)
    }

    /// Creates a session whose secrets are meant for one origin, whoever sends requests with it; nil for every origin.
    init(_ configuration: Configuration, _ transport: (any Transport)?, home: Origin?) {
        self.configuration = configuration
        self.ownsTransport = transport == nil && configuration.engine != nil
        self.transport =
            transport ?? configuration.engine.map { NIOTransport(configuration: $0) } ?? NIOTransport.shared
        self.fault = transport == nil ? nil : configuration.engineFault
        self.admission = Admission(limit: configuration.maximumConcurrentRequests)
        self.environment = CallEnvironment(
            clock: configuration.clock,
            limits: configuration.limits,
            observers: configuration.observers,
            admission: self.admission,
            home: home
        )
        self.optionRules = configuration.optionRules
        self.totalTimeout = configuration.sessionTimeouts.total
        self.stages = StageList(configuration.makeStages(self.transport))
        self.runsProgramCode = configuration.runsProgramCode
        self.retryStage = configuration.hasRetryStage ? nil : RetryStage(configuration)
    }

    deinit { self.cancelRefreshes() }

    /// The origin that the session's secrets are meant for; nil for every origin.
    var home: Origin? { self.environment.home }

    /// The retry budget of the session's calls; nil for no limit.
    var retryAccount: RetryAccount? {
        (self.retryStage ?? self.stages.interceptors.lazy.compactMap { $0 as? RetryStage }.first)?.account
    }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - request: Its request.
    ///   - handling: How its response is delivered.
    ///   - isBounded: Whether the total limit applies to it, and not to each of the calls that it is made of.
    /// - Returns: The call.
    @inline(never)
    func makeCall(_ request: Request, _ handling: consuming CallHandling, isBounded: Bool = true) -> Call {
        handling.heldByteCount = self.configuration.limits.discardedByteCount
        // What arrives whole could not be held back.
        if self.configuration.rateLimit?.download != nil {
            handling.pacedByteCount = handling.collectedByteCount
            handling.responseMode = .streamed
        }
        handling.decodesContentByDefault = self.configuration.decodesContent
        let totalTimeout = isBounded ? request.ownTotalTimeout ?? self.totalTimeout : nil
        return Call(request, handling, self.environment, totalTimeout: totalTimeout)
    }

    /// Sends the request of a call through the chain.
    ///
    /// - Returns: The response; its head has arrived. The call is still under way.
    /// - Throws: Any error; ``Call/fail(_:source:)`` converts it into a session error.
    func run(_ call: Call) async throws -> StreamedResponse {
        if try self.mustWait(call) { try await self.waitForPlace(call) }
        call.holdPlace()
        if let gate = call.handling.gate { try await call.pass(gate) }
        return try await self.pass(call.originalRequest, of: call)
    }

    /// Begins a call, and returns whether it has to wait for its place.
    ///
    /// This is a separate function so that its values are not kept while the call is under way.
    @inline(never)
    private func mustWait(_ call: Call) throws(SessionError) -> Bool {
        call.tell(.callStarted)
        if let fault { throw fault }
        try self.optionRules.check(call.originalRequest)
        let entry = try self.admission.enter(isNested: self.isNested, isUnderWay: call.handling.isUnderWay)
        return if case .full = entry { true } else { false }
    }

    /// Sends a request of a call that is under way through the chain.
    func pass(_ request: Request, of call: Call) async throws -> StreamedResponse {
        let chain = Chain(call, stages: self.stages(for: request))
        guard self.runsProgramCode || request.runsProgramCode else { return try await chain(request) }
        return try await Self.passProgramCode(request, chain)
    }

    /// Sends a request through a chain with the program's own code, which may wait for anything and make calls.
    private static func passProgramCode(_ request: Request, _ chain: Chain) async throws -> StreamedResponse {
        try await Call.$current.withValue(chain.call) {
            // Without a deadline there is nothing to make a closure for.
            guard chain.call.deadline != nil else { return try await chain(request) }
            return try await chain.call.bounded { try await chain(request) }
        }
    }

    /// The stages of a call.
    private func stages(for request: Request) -> StageList {
        // The request is checked first: a stage is large, and copying it costs more than the check.
        guard !request.context.isEmpty else { return self.stages }
        let retries = request.retries != nil
        let limits = request.rateLimit != nil && !self.configuration.hasRateLimitStage
        guard retries || limits else { return self.stages }
        var stages = self.stages.interceptors
        if retries, let retryStage = self.retryStage { stages.insert(retryStage, at: 0) }
        // Directly above the exchange, at the position of the session's stage.
        if limits { stages.insert(RateLimitStage(limit: nil), at: stages.count - 1) }
        return StageList(stages)
    }

    /// Whether a call that is made now is nested in another one of the session, which waits for it.
    ///
    /// A task that outlives the call that it was started in keeps that call as the current one.
    var isNested: Bool {
        guard let outer = Call.current else { return false }
        return outer.environment.admission === self.admission && !outer.isFinished
    }

    /// Waits for a place among the calls of the session.
    private func waitForPlace(_ call: Call) async throws {
        call.activity = .queue
        call.tell(.queueStarted)
        try await self.admission.wait(until: self.queueLimit(of: call), clock: call.clock)
        call.tell(.queueEnded)
        call.activity = .chain
    }

    /// The deadline of a call in the queue and the error for it: that of the call, or that of the queue.
    private func queueLimit(
        of call: Call
    ) -> (deadline: SessionClock.Instant, error: @Sendable () -> SessionError)? {
        let request = call.originalRequest
        let timeouts = self.configuration.timeouts(of: request)
        let end = timeouts.queue.map { call.clock.now.advanced(by: $0) }
        if let deadline = call.deadline, deadline <= end ?? deadline { return (deadline, { call.deadlineError }) }
        guard let end, let limit = timeouts.queue else { return nil }
        return (end, { Admission.timedOut(limit, request) })
    }

    // MARK: End

    /// Shuts the session down at once: refuses new calls, cancels its tasks, and closes its own engine's connections.
    ///
    /// No exchange of the session begins any more: a retry, a further hop, the continuation of a download and a task that
    /// is made later fail with ``SessionError/Code/shutDown``, and so do calls that wait for one of these.
    ///
    /// Exchanges under way on its own engine fail with ``SessionError/Code/shutDown``, too. On the shared engine, which a
    /// session uses without ``Configuration/engine``, and on a transport that it was given, an exchange under way continues
    /// until its response has been read, or until its own limits end it; cancel the task that waits for it, if it has to
    /// end at once. Calling this again does nothing.
    public func shutdown() async {
        self.invalidate(cancellingTasks: true)
        self.admission.end()
        guard self.ownsTransport else { return }
        await self.transport.shutdown()
    }

    /// Shuts the session down gracefully: refuses new calls, and waits for those under way, and for those that wait for a
    /// place among ``Configuration/maximumConcurrentRequests``.
    ///
    /// The program's code in a call under way, for example an interceptor that renews a token, may still make the
    /// calls that it waits for. Tasks that were never resumed are cancelled. Cancelling the calling task ends the
    /// wait, like the time limit.
    ///
    /// - Parameter limit: How long to wait; calls that are still under way then are ended as by ``shutdown()``, which lets an
    ///   exchange on the shared engine, or on a transport that the session was given, continue.
    public func shutdown(within limit: Duration) async {
        self.admission.close(isDraining: true)
        self.registry.close()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await self.configuration.clock.sleep(for: limit)
            }
            group.addTask { await self.admission.drain() }
            await group.next()
            group.cancelAll()
            // Ends the calls that are still under way, so that the wait for them ends.
            await self.shutdown()
        }
    }

    /// Refuses new calls, without waiting for anything.
    ///
    /// Unless tasks are cancelled, calls that wait for a place get one, and the program's code in a call under way may still
    /// make the calls that it waits for.
    ///
    /// - Parameter cancellingTasks: Whether the session's tasks are cancelled. If not, those that were resumed continue
    ///   to their end, and those that were not are cancelled.
    public func invalidate(cancellingTasks: Bool) {
        self.admission.close(isDraining: !cancellingTasks)
        self.registry.close()
        if cancellingTasks {
            self.registry.cancelAll()
            self.cancelRefreshes()
        }
        self.tellEnd()
    }

    /// Cancels the cache's own requests: their chain retains the stages, so that these would not be deallocated first.
    private func cancelRefreshes() {
        for case let stage as CacheStage in self.stages.interceptors { stage.refreshes.cancelAll() }
    }

    /// Tells the observers about the session's end, once its last call and its last task have ended.
    private func tellEnd() {
        let observers = self.configuration.observers
        guard !observers.isEmpty, !self.isEndWatched.exchange(true, ordering: .relaxed) else { return }
        // No object owns this task: it ends with the calls and tasks that it awaits, which are under way or cancelled.
        Task {
            await self.admission.drain()
            await self.registry.drain()
            for observer in observers { observer.observe(.invalidated, of: self) }
        }
    }
}

extension Admission {
    /// The error for a call that has waited in the queue for too long.
    fileprivate static func timedOut(_ limit: Duration, _ request: Request) -> SessionError {
        SessionError(
            .timedOut,
            reason:
                "no other call ended within \(limit); the session's maximumConcurrentRequests are all under way",
            request: request,
            phase: .queue
        )
    }
}
