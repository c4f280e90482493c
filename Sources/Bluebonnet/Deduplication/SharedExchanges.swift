// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Synchronization

/// The exchanges under way that further calls may join.
///
/// An exchange begins with the first call that asks for it, and runs in a task of its own, so that this call may leave. It is forgotten
/// when it ends, or when the last call has left, which cancels it.
final class SharedExchanges: Sendable {
    /// What a call gets.
    struct Answer: Sendable {
        /// The call that began the exchange.
        let leader: Call.ID
        /// The response; nil if another call has got it.
        let result: Result<StreamedResponse?, any Error>
    }

    private typealias Continuation = CheckedContinuation<Answer, any Error>

    private struct SharedExchange {
        let number: UInt64
        let leader: Call.ID
        var waiters: [UInt64: Continuation]
        /// Runs the exchange; nil until it has begun.
        var task: Task<Void, Never>?
    }

    private struct State {
        var exchanges: [ExchangeIdentity: SharedExchange] = [:]
        var lastNumber: UInt64 = 0

        mutating func makeNumber() -> UInt64 {
            self.lastNumber += 1
            return self.lastNumber
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

    /// Waits for the answer to a request, and begins its exchange if no other call has.
    ///
    /// - Parameters:
    ///   - identity: What the request asks for.
    ///   - call: The call that asks.
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
                case .begun(let number): self.begin(identity, number, exchange)
                }
            }
        } onCancel: {
            self.leave(identity, id)
        }
    }

    private func enter(_ identity: ExchangeIdentity, _ id: UInt64, _ call: Call.ID, _ waiter: Continuation) -> Entry {
        self.state.withLock { state in
            // Asked inside the lock: a cancellation after it finds the waiter.
            if Task.isCancelled { return .cancelled }
            if state.exchanges[identity] != nil {
                state.exchanges[identity]?.waiters[id] = waiter
                return .joined
            }
            let number = state.makeNumber()
            state.exchanges[identity] = SharedExchange(number: number, leader: call, waiters: [id: waiter])
            return .begun(number)
        }
    }

    private func begin(
        _ identity: ExchangeIdentity,
        _ number: UInt64,
        _ exchange: @escaping @Sendable () async throws -> StreamedResponse
    ) {
        // The exchange owns this task: the last call to leave cancels it, and it ends with the exchange.
        let task = Self.start {
            let result: Result<StreamedResponse, any Error>
            do { result = .success(try await exchange()) } catch { result = .failure(error) }
            self.end(identity, number, result)
        }
        let isWanted = self.state.withLock { state in
            guard state.exchanges[identity]?.number == number else { return false }
            state.exchanges[identity]?.task = task
            return true
        }
        // Everyone has left already, or it has ended, and cancelling does nothing.
        if !isWanted { task.cancel() }
    }

    /// Begins a task, on the calling thread where the system can: the request is then sent without a change of thread.
    private static func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await operation() }
        }
        // Owned by the exchange, as above.
        return Task { await operation() }
    }

    private func end(_ identity: ExchangeIdentity, _ number: UInt64, _ result: Result<StreamedResponse, any Error>) {
        let ended = self.state.withLock { state -> SharedExchange? in
            guard state.exchanges[identity]?.number == number else { return nil }
            return state.exchanges.removeValue(forKey: identity)
        }
        guard let ended else {
            if case .success(let response) = result { response.body.abandon() }
            return
        }
        var isTaken = false
        for waiter in ended.waiters.values {
            // A body that has to be read has one reader.
            let isHere = !isTaken || result.isWhole
            isTaken = true
            waiter.resume(returning: Answer(leader: ended.leader, result: result.map { isHere ? $0 : nil }))
        }
    }

    private func leave(_ identity: ExchangeIdentity, _ id: UInt64) {
        let (waiter, task) = self.state.withLock { state -> (Continuation?, Task<Void, Never>?) in
            guard let waiter = state.exchanges[identity]?.waiters.removeValue(forKey: id) else { return (nil, nil) }
            guard state.exchanges[identity]?.waiters.isEmpty == true else { return (waiter, nil) }
            return (waiter, state.exchanges.removeValue(forKey: identity)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }
}

extension Result where Success == StreamedResponse {
    /// Whether everyone can have it.
    fileprivate var isWhole: Bool {
        guard case .success(let response) = self else { return true }
        return response.body.collectedBytes != nil && response.upgradedChannel == nil
    }
}
