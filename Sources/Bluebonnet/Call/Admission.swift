// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import Synchronization

/// Counts the calls of a session, and limits how many run at a time.
///
/// A call beyond the limit waits in a queue, first come, first served. Each admitted call leaves exactly once. An
/// operation that is made of several calls, and a task that was resumed, holds the session as well: it may continue
/// when no new call is admitted.
final class Admission: Sendable {
    /// Which calls are admitted; a session passes from each phase to later ones only.
    enum Phase: Int {
        case open
        /// Only calls that wait for a place already, calls of operations that are under way, and calls that another call
        /// waits for.
        case draining
        /// No call is admitted; those that run continue.
        case closed
        /// Those that run fail before their next exchange, and end their waits.
        case ended
    }

    /// Resumed with true when the call is admitted.
    private typealias Continuation = CheckedContinuation<Bool, any Error>

    private struct State {
        var phase = Phase.open
        var active = 0
        var held = 0
        var nextID: UInt64 = 0
        /// The waiting calls by their ids.
        var waiters: [UInt64: Continuation] = [:]
        /// The ids of the waiting calls in the order of their arrival, and some of calls that wait no more.
        ///
        /// A cancelled call is removed only from ``waiters``: removing its id from the middle would take time in
        /// proportion to the length of the queue.
        var order = CircularBuffer<UInt64>()
        /// Resumed when the last call has left.
        var drained: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Each is resumed when its phase, or a later one, begins.
        var pauses: [UInt64: (end: Phase, continuation: CheckedContinuation<Void, Never>)] = [:]

        mutating func append(_ waiter: Continuation, _ id: UInt64) {
            self.waiters[id] = waiter
            self.order.append(id)
        }

        mutating func remove(_ id: UInt64) -> Continuation? {
            guard let waiter = self.waiters.removeValue(forKey: id) else { return nil }
            self.shrinkOrder()
            return waiter
        }

        /// Takes the call that has waited longest.
        mutating func removeFirst() -> Continuation? {
            while let id = self.order.popFirst() {
                if let waiter = self.waiters.removeValue(forKey: id) { return waiter }
            }
            return nil
        }

        /// Takes the waiting calls if they are no longer let in, in the order of their arrival.
        mutating func removeRefused() -> [Continuation] {
            guard self.hasBegun(.closed) else { return [] }
            defer { (self.waiters, self.order) = ([:], CircularBuffer()) }
            return self.order.compactMap { self.waiters[$0] }
        }

        /// Removes the ids of calls that wait no more once they outnumber the others, so that each is passed a limited
        /// number of times.
        private mutating func shrinkOrder() {
            guard self.order.count > 2 * self.waiters.count + 16 else { return }
            self.order = CircularBuffer(self.order.filter { self.waiters[$0] != nil })
        }

        /// Takes the continuations that wait for the end, if nothing is under way.
        mutating func takeDrained() -> [CheckedContinuation<Void, Never>] {
            guard self.isEmpty, !self.drained.isEmpty else { return [] }
            defer { self.drained = [:] }
            return Array(self.drained.values)
        }

        /// Begins a phase, unless a later one has begun.
        mutating func begin(_ phase: Phase) {
            if phase.rawValue > self.phase.rawValue { self.phase = phase }
        }

        func hasBegun(_ phase: Phase) -> Bool { self.phase.rawValue >= phase.rawValue }

        /// Takes the continuations that the phase ends.
        mutating func takePauses() -> [CheckedContinuation<Void, Never>] {
            let ended = self.pauses.filter { self.hasBegun($0.value.end) }
            for id in ended.keys { self.pauses[id] = nil }
            return ended.values.map(\.continuation)
        }

        /// Whether no call is under way, and none can follow.
        var isEmpty: Bool { self.active == 0 && self.held == 0 }

        func lets(_ isUnderWay: Bool, isNested: Bool = false) -> Bool {
            switch self.phase {
            case .open: true
            // Nobody waits for what begins after the last call has ended.
            case .draining: isUnderWay || isNested && !self.isEmpty
            case .closed, .ended: false
            }
        }

        mutating func makeID() -> UInt64 {
            self.nextID += 1
            return self.nextID
        }
    }

    /// The result of an attempt to enter.
    enum Entry: Equatable {
        /// The call is admitted.
        case free
        /// The limit is reached: ``wait(until:clock:)`` must follow.
        case full
    }

    private let limit: Int?
    private let state = Mutex(State())
    /// Whether the last phase has begun; each exchange reads it, and takes no lock for that.
    private let isEnded = Atomic(false)

    init(limit: Int?) {
        self.limit = limit.map { max($0, 1) }
    }

    /// The number of calls that run and that wait.
    var counts: (active: Int, waiting: Int) { self.state.withLock { ($0.active, $0.waiters.count) } }

    /// Enters without waiting.
    ///
    /// - Parameters:
    ///   - isNested: Whether the call was made inside another call of the session, which waits for it. It gets a
    ///     place beyond the limit, because the outer call holds one, and is admitted while the session waits for the
    ///     end of the outer call.
    ///   - isUnderWay: Whether it belongs to an operation that holds the session.
    /// - Returns: Whether the call is admitted or has to wait.
    /// - Throws: `SessionError` with `shutDown` when the session has been shut down.
    func enter(isNested: @autoclosure () -> Bool, isUnderWay: Bool) throws(SessionError) -> Entry {
        guard !self.enterAtOnce() else { return .free }
        let isNested = isNested()
        let entry: Entry? = self.state.withLock { state in
            guard state.lets(isUnderWay, isNested: isNested) else { return nil }
            if let limit, !isNested, state.active >= limit || !state.waiters.isEmpty { return .full }
            state.active += 1
            return .free
        }
        guard let entry else { throw Self.shutDown }
        return entry
    }

    /// Enters a session that is open and has no limit, where nothing else about the call matters.
    ///
    /// - Returns: Whether it has entered.
    private func enterAtOnce() -> Bool {
        guard self.limit == nil else { return false }
        return self.state.withLock { state in
            guard state.phase == .open else { return false }
            state.active += 1
            return true
        }
    }

    /// Holds the session for an operation that is made of several calls.
    ///
    /// - Parameters:
    ///   - isNested: Whether it was begun inside a call of the session, which waits for it.
    ///   - isUnderWay: Whether it belongs to an operation that holds the session.
    /// - Returns: Whether the session admits it; if so, ``release()`` has to follow.
    func hold(isNested: Bool, isUnderWay: Bool) -> Bool {
        self.state.withLock { state in
            guard state.lets(isUnderWay, isNested: isNested) else { return false }
            state.held += 1
            return true
        }
    }

    /// Ends a hold of the session.
    func release() {
        let drained = self.state.withLock { state in
            state.held -= 1
            return state.takeDrained()
        }
        for waiter in drained { waiter.resume() }
    }

    /// Waits for a place in the queue, also while the session is draining.
    ///
    /// - Parameters:
    ///   - limit: How long to wait at most, and the error for a longer wait; nil for no limit.
    ///   - clock: Measures the wait.
    /// - Throws: `SessionError` when the time is up or the session is shut down; `CancellationError` when the task is cancelled.
    func wait(
        until limit: (deadline: SessionClock.Instant, error: @Sendable () -> SessionError)?,
        clock: SessionClock
    ) async throws {
        let id = self.state.withLock { $0.makeID() }
        guard let limit else {
            try await self.wait(id, isLate: { false })
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await clock.sleep(until: limit.deadline)
                self.fail(id, with: limit.error())
            }
            defer { group.cancelAll() }
            // If the deadline passes before the call is queued, nothing would end its wait.
            let isIn = try await self.wait(id, isLate: { clock.now >= limit.deadline })
            guard isIn else { throw limit.error() }
        }
    }

    /// Gives a place back.
    func leave() {
        guard !self.leaveAtOnce() else { return }
        // The place passes to the first call in the queue without becoming free in between.
        let (next, drained) = self.state.withLock { state -> (Continuation?, [CheckedContinuation<Void, Never>]) in
            if state.active <= self.limit ?? .max, let next = state.removeFirst() { return (next, []) }
            state.active -= 1
            return (nil, state.takeDrained())
        }
        next?.resume(returning: true)
        for waiter in drained { waiter.resume() }
    }

    /// Gives a place back that nobody waits for.
    ///
    /// - Returns: Whether it has; false, without a change, if somebody waits.
    private func leaveAtOnce() -> Bool {
        self.state.withLock { state in
            guard state.waiters.isEmpty, state.drained.isEmpty else { return false }
            state.active -= 1
            return true
        }
    }

    /// Refuses new calls; running calls continue.
    ///
    /// - Parameter isDraining: Whether calls in the queue get their turn, and operations that hold the session may make
    ///   further calls.
    func close(isDraining: Bool) {
        self.begin(isDraining ? .draining : .closed)
    }

    /// Ends the pauses of running calls as well, and refuses their further exchanges.
    func end() {
        self.isEnded.store(true, ordering: .releasing)
        self.begin(.ended)
    }

    /// Checks that a running call may begin another exchange.
    ///
    /// - Throws: `SessionError` with `shutDown` when the last phase has begun.
    func checkExchange() throws(SessionError) {
        if self.isEnded.load(ordering: .acquiring) { throw Self.shutDown }
    }

    private func begin(_ phase: Phase) {
        let (refused, pauses) = self.state.withLock { state in
            state.begin(phase)
            return (state.removeRefused(), state.takePauses())
        }
        for waiter in refused { waiter.resume(throwing: Self.shutDown) }
        for waiter in pauses { waiter.resume() }
    }

    /// Waits for anything before something that a phase of the session would refuse.
    ///
    /// - Parameters:
    ///   - end: The phase.
    ///   - wait: The wait, which the phase cancels.
    /// - Returns: What the wait returns.
    /// - Throws: `SessionError` with `shutDown` as soon as the phase begins; what the wait throws; `CancellationError`
    ///   when the task is cancelled.
    func pause<Value: Sendable>(
        until end: Phase,
        _ wait: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let value = try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await wait() }
            group.addTask {
                await self.wait(for: end)
                try Task.checkCancellation()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let value else { throw Self.shutDown }
        return value
    }

    /// Waits until a phase begins, or until the task is cancelled.
    private func wait(for phase: Phase) async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard !state.hasBegun(phase), !Task.isCancelled else { return false }
                    state.pauses[id] = (phase, continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.pauses.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// Waits until no call runs, or until the task is cancelled.
    func drain() async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard !state.isEmpty, !Task.isCancelled else { return false }
                    state.drained[id] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.drained.removeValue(forKey: id) }?.resume()
        }
    }

    /// - Returns: False if it was too late to wait.
    @discardableResult
    private func wait(_ id: UInt64, isLate: @Sendable () -> Bool) async throws -> Bool {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                let outcome: Result<Bool, any Error>? = self.state.withLock { state in
                    guard !state.hasBegun(.closed) else { return .failure(Self.shutDown) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    // A place may have become free since the first check.
                    if state.waiters.isEmpty, state.active < self.limit ?? .max {
                        state.active += 1
                        return .success(true)
                    }
                    if isLate() { return .success(false) }
                    state.append(continuation, id)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            self.fail(id, with: CancellationError())
        }
    }

    private func fail(_ id: UInt64, with error: any Error) {
        self.state.withLock { $0.remove(id) }?.resume(throwing: error)
    }

    static var shutDown: SessionError {
        SessionError(.shutDown, reason: "the session has been shut down")
    }
}
