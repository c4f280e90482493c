// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Synchronization

/// The exchanges under way, which further calls may join until an unsafe request is sent.
///
/// An exchange begins with the first call that needs it, and runs in its own task, so that this call may leave. It is
/// removed when it ends, or when the last call has left, which cancels it.
final class SharedExchanges: Sendable {
    /// The result for one call.
    struct Answer: Sendable {
        /// The call that began the exchange.
        let leader: Call.ID
        /// The response; nil if another call has received it.
        let result: Result<StreamedResponse?, any Error>

        /// Whether any byte of the request may have been sent.
        var isRequestSent: Bool {
            switch self.result {
            case .success: true
            // Nothing is known about the progress of other errors; only false is a promise.
            case .failure(let error): (error as? SessionError)?.isRequestSent ?? true
            }
        }
    }

    private typealias Continuation = CheckedContinuation<Answer, any Error>

    private struct SharedExchange {
        let identity: ExchangeIdentity
        let leader: Call.ID
        /// The call that began it, which most exchanges have alone; nil when it has left.
        var first: Continuation?
        /// The calls that have joined.
        var joined: [UInt64: Continuation] = [:]
        /// The task of the exchange; nil until it has begun.
        var task: Task<Void, Never>?

        var waiterCount: Int { self.joined.count + (self.first == nil ? 0 : 1) }
    }

    private struct State {
        /// The exchanges; the number of one is that of the call that began it.
        var exchanges: [UInt64: SharedExchange] = [:]
        /// The exchanges that may be joined.
        var open: [ExchangeIdentity: UInt64] = [:]
        /// The exchange that each call has joined.
        var places: [UInt64: UInt64] = [:]
        var lastNumber: UInt64 = 0
        /// The number of invalidations that are known of.
        var invalidationCount: UInt64 = 0

        mutating func remove(_ number: UInt64) -> SharedExchange? {
            guard let exchange = self.exchanges.removeValue(forKey: number) else { return nil }
            if self.open[exchange.identity] == number { self.open[exchange.identity] = nil }
            for id in exchange.joined.keys { self.places[id] = nil }
            return exchange
        }

        /// Removes the continuation of a call, and the exchange that nobody waits for any more.
        mutating func leave(_ id: UInt64) -> (Continuation?, ended: SharedExchange?) {
            let number = self.places.removeValue(forKey: id) ?? id
            let waiter =
                number == id
                ? self.exchanges[number]?.first.take() : self.exchanges[number]?.joined.removeValue(forKey: id)
            let isLast = waiter != nil && self.exchanges[number]?.waiterCount == 0
            return (waiter, isLast ? self.remove(number) : nil)
        }
    }

    private enum Entry {
        case cancelled
        case joined
        case begun
    }

    private let state = Mutex(State())
    /// The changes that sessions with copies of one cache make; nil without a cache.
    private let changes: CacheChanges?

    init(changes: CacheChanges? = nil) {
        self.changes = changes
    }

    /// The number of exchanges under way.
    var count: Int { self.state.withLock { $0.exchanges.count } }

    /// The number of calls that wait for one of them.
    var waiterCount: Int { self.state.withLock { $0.exchanges.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Prevents further calls from joining the exchanges under way; calls that wait for them get their responses.
    func close() { self.state.withLock { $0.open = [:] } }

    /// Waits for the answer to a request, and begins its exchange if no other call has.
    ///
    /// - Parameters:
    ///   - identity: The identity of the request.
    ///   - request: The request.
    ///   - next: The rest of the chain of the call, which makes the exchange.
    /// - Returns: The answer.
    /// - Throws: `CancellationError` when the task is cancelled.
    func answer(to identity: ExchangeIdentity, _ request: Request, _ next: Chain) async throws -> Answer {
        let id = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch self.enter(identity, id, next.call.id, continuation) {
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .joined: next.call.joinExchange()
                case .begun: self.begin(id, request, next)
                }
            }
        } onCancel: {
            self.leave(id)
        }
    }

    private func enter(_ identity: ExchangeIdentity, _ id: UInt64, _ call: Call.ID, _ waiter: Continuation) -> Entry {
        let invalidationCount = self.changes?.invalidationCount ?? 0
        return self.state.withLock { state in
            // Checked inside the lock: a later cancellation finds the waiter.
            if Task.isCancelled { return .cancelled }
            // Another session of the cache has made a change, whose end closes the exchanges as one of this session
            // does.
            if invalidationCount > state.invalidationCount {
                state.invalidationCount = invalidationCount
                state.open = [:]
            }
            if let number = state.open[identity] {
                state.exchanges[number]?.joined[id] = waiter
                state.places[id] = number
                return .joined
            }
            state.exchanges[id] = SharedExchange(identity: identity, leader: call, first: waiter)
            state.open[identity] = id
            return .begun
        }
    }

    private func begin(_ number: UInt64, _ request: Request, _ next: Chain) {
        // The exchange owns this task: the last call to leave cancels it, and it ends with the exchange.
        let task = self.start(number, request, next)
        let isWanted = self.state.withLock { state in
            guard state.exchanges[number] != nil else { return false }
            state.exchanges[number]?.task = task
            return true
        }
        // All calls have left already, or it has ended, and cancelling does nothing.
        if !isWanted { task.cancel() }
    }

    /// Starts a task, on the calling thread if possible: the request is then sent without a change of thread.
    private func start(_ number: UInt64, _ request: Request, _ next: Chain) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { self.end(number, await next.sharedOutcome(of: request)) }
        }
        // Owned by the exchange, as above.
        return Task { self.end(number, await next.sharedOutcome(of: request)) }
    }

    private func end(_ number: UInt64, _ result: Result<StreamedResponse, any Error>) {
        guard let ended = self.state.withLock({ $0.remove(number) }) else {
            if case .success(let response) = result { response.body.abandon() }
            return
        }
        let isShared = result.isWhole
        ended.first?.resume(returning: Answer(leader: ended.leader, result: result.map(Optional.some)))
        // A streamed body has only one reader.
        var isTaken = ended.first != nil
        for waiter in ended.joined.values {
            let isHere = isShared || !isTaken
            isTaken = true
            waiter.resume(returning: Answer(leader: ended.leader, result: result.map { isHere ? $0 : nil }))
        }
    }

    private func leave(_ id: UInt64) {
        let (waiter, ended) = self.state.withLock { $0.leave(id) }
        ended?.task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

extension Result where Success == StreamedResponse {
    /// Whether all calls can have it.
    fileprivate var isWhole: Bool {
        guard case .success(let response) = self else { return true }
        return response.body.collectedBytes != nil && !response.isUpgraded
    }
}
