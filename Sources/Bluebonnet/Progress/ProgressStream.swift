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
        /// The number of steps so far.
        var stepCount: UInt64 = 0
        var isFinished = false
        var lastID: UInt64 = 0
        /// Wake up the readers, which then take the current state.
        var signals: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    init() {}

    /// The current progress of the transfer.
    public var current: TransferProgress { self.state.withLock { $0.current } }

    /// Whether the transfer has ended, successfully or not.
    public var isFinished: Bool { self.state.withLock { $0.isFinished } }

    /// Makes the iterator: it yields the current state first, then every step that is taken in time.
    public func makeAsyncIterator() -> AsyncIterator {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = self.state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.signals[state.lastID] = signal
            return state.lastID
        }
        if let id {
            signal.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.signals.removeValue(forKey: id) }
            }
        } else {
            signal.finish()
        }
        return AsyncIterator(progress: self, signals: signals.makeAsyncIterator())
    }

    /// The iterator of a ``ProgressStream``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let progress: ProgressStream
        var signals: AsyncStream<Void>.AsyncIterator
        /// The number of the last step that was taken; nil before the first.
        var taken: UInt64?

        /// Waits for the next step; nil when the transfer has ended or the task is cancelled.
        public mutating func next() async -> TransferProgress? { await self.next(isolation: #isolation) }

        /// Waits for the next step; nil when the transfer has ended or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            while !Task.isCancelled {
                if let step = self.takeStep() { return step }
                if await self.signals.next(isolation: actor) == nil {
                    // The end may overtake the signal of the last step.
                    return Task.isCancelled ? nil : self.takeStep()
                }
            }
            return nil
        }

        private mutating func takeStep() -> TransferProgress? {
            let (number, step) = self.progress.state.withLock { ($0.stepCount, $0.current) }
            guard number != self.taken else { return nil }
            self.taken = number
            return step
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

    /// Counts all bytes that were sent at once; calling it again with the same number changes nothing.
    ///
    /// They are fewer than the total if the server did not want the rest.
    func complete(_ completed: Int64) {
        let current = self.current
        let progress = TransferProgress(completed: completed, total: current.total ?? completed)
        if current != progress { self.update { $0 = progress } }
    }

    /// Takes the completed bytes for the total, if that is unknown, because the transfer is complete.
    func complete() { self.complete(self.current.completed) }

    /// Ends the sequence for all current and later readers.
    func finish() {
        let signals = self.state.withLock { state in
            state.isFinished = true
            defer { state.signals = [:] }
            return state.signals
        }
        for signal in signals.values { signal.finish() }
    }

    private func update(_ change: (inout TransferProgress) -> Void) {
        let signals = self.state.withLock { state -> [UInt64: AsyncStream<Void>.Continuation] in
            guard !state.isFinished else { return [:] }
            change(&state.current)
            state.stepCount += 1
            return state.signals
        }
        // Outside the lock: waking up a reader takes a lock of its task, and the end of a reader comes with that lock
        // held. The order does not matter, because every reader takes the current state.
        for signal in signals.values { signal.yield() }
    }
}
