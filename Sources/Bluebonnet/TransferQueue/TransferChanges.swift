// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A change to a transfer of a queue.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum TransferChange: Sendable {
    /// It was added, or its state or progress has changed: the transfer as it is now.
    case updated(Transfer)
    /// It was removed.
    case removed(Transfer.ID)

    var id: Transfer.ID {
        switch self {
        case .updated(let transfer): transfer.id
        case .removed(let id): id
        }
    }
}

/// The changes to the transfers of a queue; see ``TransferQueue/changes``.
///
/// A new iterator starts with every current transfer. A change that was not taken is replaced by the next one to the
/// same transfer: a slow reader sees fewer steps, always the newest one of each transfer, and at most one change per
/// transfer is kept for a reader. The sequence ends with the queue.
public struct TransferChanges: AsyncSequence, Sendable {
    public typealias Element = TransferChange
    public typealias Failure = Never

    let board: TransferBoard

    /// Makes the iterator: it yields every current transfer, then the changes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self.board.subscribe()) }

    /// The iterator of ``TransferChanges``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: TransferSubscription
        private var signals: AsyncStream<Void>.AsyncIterator

        init(_ subscription: TransferSubscription) {
            self.subscription = subscription
            self.signals = subscription.signals.makeAsyncIterator()
        }

        /// Waits for the next change; nil at the end of the queue, and when the task is cancelled.
        public mutating func next() async -> TransferChange? { await self.next(isolation: #isolation) }

        /// Waits for the next change; nil at the end of the queue, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferChange? {
            while true {
                if Task.isCancelled { return nil }
                if let change = self.subscription.take() { return change }
                guard await self.signals.next(isolation: actor) != nil else { return self.subscription.take() }
            }
        }
    }
}
