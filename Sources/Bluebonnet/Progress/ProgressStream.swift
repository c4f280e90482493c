// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The progress of one direction of a transfer, as an asynchronous sequence that ends with the transfer.
///
/// A new iterator starts with the current state. Steps that a reader did not take in time are replaced by newer ones;
/// the last step is always delivered. The sequence ends when the transfer does, whether it has succeeded or not.
public final class ProgressStream: AsyncSequence, Sendable {
    public typealias Element = TransferProgress
    public typealias Failure = Never

    private struct State {
        var current = TransferProgress()
        var isFinished = false
        var nextID: UInt64 = 0
        var observers: [UInt64: AsyncStream<TransferProgress>.Continuation] = [:]
    }

    private let state = Mutex(State())

    init() {}

    /// The current progress of the transfer.
    public var current: TransferProgress { self.state.withLock { $0.current } }

    /// Whether the transfer has ended, successfully or not.
    public var isFinished: Bool { self.state.withLock { $0.isFinished } }

    /// Makes the iterator: it yields the current state first, then every step that is taken in time.
    public func makeAsyncIterator() -> AsyncIterator {
        // A buffer of one: a step that was not taken is replaced by the next.
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (id, isFinished) = self.state.withLock { state in
            state.nextID += 1
            continuation.yield(state.current)
            if !state.isFinished { state.observers[state.nextID] = continuation }
            return (state.nextID, state.isFinished)
        }
        if isFinished {
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
            }
        }
        return AsyncIterator(stream: stream.makeAsyncIterator())
    }

    /// The iterator of a ``ProgressStream``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var stream: AsyncStream<TransferProgress>.AsyncIterator

        /// Waits for the next step; nil when the transfer has ended or the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await self.stream.next(isolation: #isolation)
        }

        /// Waits for the next step; nil when the transfer has ended or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            await self.stream.next(isolation: actor)
        }
    }

    /// Starts counting, from 0 or from the bytes that are present already.
    func begin(total: Int64?, completed: Int64 = 0) {
        self.update { $0 = TransferProgress(completed: completed, total: total) }
    }

    /// Counts bytes.
    func add(_ count: Int) {
        self.update { $0.completed &+= Int64(count) }
    }

    /// Counts all bytes at once; calling it again changes nothing.
    func complete(_ total: Int64) {
        let progress = TransferProgress(completed: total, total: total)
        if self.current != progress { self.update { $0 = progress } }
    }

    /// Ends the sequence for all current and later readers.
    func finish() {
        let observers = self.state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer.finish() }
    }

    private func update(_ change: (inout TransferProgress) -> Void) {
        self.state.withLock { state in
            guard !state.isFinished else { return }
            change(&state.current)
            // Inside the lock, so that steps keep their order. It runs no foreign code: it only makes a waiting reader
            // ready.
            for observer in state.observers.values { observer.yield(state.current) }
        }
    }
}
