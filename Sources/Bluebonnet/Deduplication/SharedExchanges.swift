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
    }

    private typealias Continuation = CheckedContinuation<Answer, any Error>

    private struct SharedExchange {
        let identity: ExchangeIdentity
        let leader: Call.ID
        var waiters: [UInt64: Continuation]
        /// The task of the exchange; nil until it has begun.
        var task: Task<Void, Never>?
    }

    private struct State {
        var exchanges: [UInt64: SharedExchange] = [:]
        /// The exchanges that may be joined.
        var open: [ExchangeIdentity: UInt64] = [:]
        /// The exchange that each call waits for.
        var places: [UInt64: UInt64] = [:]
        var lastNumber: UInt64 = 0

        mutating func makeNumber() -> UInt64 {
            self.lastNumber += 1
            return self.lastNumber
        }

        mutating func remove(_ number: UInt64) -> SharedExchange? {
            guard let exchange = self.exchanges.removeValue(forKey: number) else { return nil }
            if self.open[exchange.identity] == number { self.open[exchange.identity] = nil }
            for id in exchange.waiters.keys { self.places[id] = nil }
            return exchange
        }
    }

    private enum Entry {
        case cancelled
        case joined
        case begun(UInt64)
    }

    private let state = Mutex(State())

    /// The number of exchanges under way.
    var count: Int { self.state.withLock { $0.exchanges.count } }

    /// The number of calls that wait for one of them.
    var waiterCount: Int { self.state.withLock { $0.exchanges.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Prevents further calls from joining the exchanges under way; calls that wait for them get their responses.
    func close() { self.state.withLock { $0.open = [:] } }

    /// Waits for the answer to a request, and begins its exchange if no other call has.
    ///
    /// - Parameters:
    ///   - identity: The identity of the request.
    ///   - call: The call.
    ///   - exchange: Makes the exchange.
    /// - Returns: The answer.
    /// - Throws: `CancellationError` when the task is cancelled.
    func answer(
        to identity: ExchangeIdentity,
        for call: Call,
        exchange: @escaping @Sendable () async throws -> StreamedResponse
    ) async throws -> Answer {
        let id = self.state.withLock { $0.makeNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch self.enter(identity, id, call.id, continuation) {
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .joined: break
                case .begun(let number): self.begin(number, exchange)
                }
            }
        } onCancel: {
            self.leave(id)
        }
    }

    private func enter(_ identity: ExchangeIdentity, _ id: UInt64, _ call: Call.ID, _ waiter: Continuation) -> Entry {
        self.state.withLock { state in
            // Checked inside the lock: a later cancellation finds the waiter.
            if Task.isCancelled { return .cancelled }
            if let number = state.open[identity] {
                state.exchanges[number]?.waiters[id] = waiter
                state.places[id] = number
                return .joined
            }
            let number = state.makeNumber()
            state.exchanges[number] = SharedExchange(identity: identity, leader: call, waiters: [id: waiter])
            state.open[identity] = number
            state.places[id] = number
            return .begun(number)
        }
    }

    private func begin(
        _ number: UInt64,
        _ exchange: @escaping @Sendable () async throws -> StreamedResponse
    ) {
        // The exchange owns this task: the last call to leave cancels it, and it ends with the exchange.
        let task = Self.start {
            let result: Result<StreamedResponse, any Error>
            do { result = .success(try await exchange()) } catch { result = .failure(error) }
            self.end(number, result)
        }
        let isWanted = self.state.withLock { state in
            guard state.exchanges[number] != nil else { return false }
            state.exchanges[number]?.task = task
            return true
        }
        // All calls have left already, or it has ended, and cancelling does nothing.
        if !isWanted { task.cancel() }
    }

    /// Starts a task, on the calling thread if possible: the request is then sent without a change of thread.
    private static func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await operation() }
        }
        // Owned by the exchange, as above.
        return Task { await operation() }
    }

    private func end(_ number: UInt64, _ result: Result<StreamedResponse, any Error>) {
        guard let ended = self.state.withLock({ $0.remove(number) }) else {
            if case .success(let response) = result { response.body.abandon() }
            return
        }
        var isTaken = false
        for waiter in ended.waiters.values {
            // A streamed body has only one reader.
            let isHere = !isTaken || result.isWhole
            isTaken = true
            waiter.resume(returning: Answer(leader: ended.leader, result: result.map { isHere ? $0 : nil }))
        }
    }

    private func leave(_ id: UInt64) {
        let (waiter, task) = self.state.withLock { state -> (Continuation?, Task<Void, Never>?) in
            guard let number = state.places.removeValue(forKey: id),
                let waiter = state.exchanges[number]?.waiters.removeValue(forKey: id)
            else { return (nil, nil) }
            guard state.exchanges[number]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.remove(number)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

extension Result where Success == StreamedResponse {
    /// Whether all calls can have it.
    fileprivate var isWhole: Bool {
        guard case .success(let response) = self else { return true }
        return response.body.collectedBytes != nil && response.upgradedChannel == nil
    }
}
