// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The published state of a queue: the current transfers, and the subscribers to their changes.
final class TransferBoard: Sendable {
    private struct Subscriber {
        var mailbox: TransferMailbox
        let signal: AsyncStream<Void>.Continuation
    }

    private struct State {
        var transfers: [Transfer.ID: Transfer] = [:]
        var unreadable: [UnreadableTransfer] = []
        var subscribers: [Int: Subscriber] = [:]
        var lastNumber = 0
        var isFinished = false
        /// Whether waiting transfers never start.
        var isHalted = false

        /// Puts a change into every mailbox; the subscribers have to be woken up afterwards, outside the lock.
        mutating func put(_ change: TransferChange) -> [AsyncStream<Void>.Continuation] {
            for number in self.subscribers.keys { self.subscribers[number]?.mailbox.put(change) }
            return self.subscribers.values.map(\.signal)
        }
    }

    private let state = Mutex(State())

    /// Every transfer, in the order in which they were added.
    var transfers: [Transfer] { self.state.withLock { Array($0.transfers.values) }.sorted { $0.id < $1.id } }

    /// The records that cannot be used.
    var unreadable: [UnreadableTransfer] {
        get { self.state.withLock { $0.unreadable } }
        set { self.state.withLock { $0.unreadable = newValue } }
    }

    /// Whether a transfer is under way, or waits to start.
    var isBusy: Bool {
        self.state.withLock { state in
            guard !state.isFinished else { return false }
            return state.transfers.values.contains {
                $0.state == .running || ($0.state == .waiting && !state.isHalted)
            }
        }
    }

    /// Waits until no transfer is under way, or waits to start.
    func waitUntilIdle() async throws {
        var changes = TransferChanges(board: self).makeAsyncIterator()
        while self.isBusy, await changes.next() != nil {}
        try Task.checkCancellation()
    }

    /// Whether waiting transfers never start, because nothing can be sent any more.
    var isHalted: Bool {
        get { self.state.withLock { $0.isHalted } }
        set { self.state.withLock { $0.isHalted = newValue } }
    }

    subscript(_ id: Transfer.ID) -> Transfer? { self.state.withLock { $0.transfers[id] } }

    /// Publishes the current state of a transfer.
    func publish(_ transfer: Transfer) {
        self.tell { state in
            state.transfers[transfer.id] = transfer
            return .updated(transfer)
        }
    }

    /// Publishes the progress of a transfer under way.
    func publish(_ progress: TransferProgress, of id: Transfer.ID) {
        self.tell { state in
            guard var transfer = state.transfers[id], transfer.state == .running, transfer.progress != progress else {
                return nil
            }
            transfer.progress = progress
            state.transfers[id] = transfer
            return .updated(transfer)
        }
    }

    /// Publishes the progress of a transfer until its attempt has ended.
    @concurrent
    func follow(_ progress: ProgressStream, of id: Transfer.ID) async {
        // The first step may come before anything is known, while the transfer has bytes already.
        for await step in progress where step != TransferProgress() { self.publish(step, of: id) }
    }

    /// Publishes the removal of a transfer.
    func remove(_ id: Transfer.ID) {
        self.tell { $0.transfers.removeValue(forKey: id) != nil ? .removed(id) : nil }
    }

    private func tell(_ make: (inout State) -> TransferChange?) {
        let signals = self.state.withLock { state in make(&state).map { state.put($0) } ?? [] }
        for signal in signals { signal.yield() }
    }

    /// Ends the sequences.
    func finish() {
        let subscribers = self.state.withLock { state in
            state.isFinished = true
            return state.subscribers.values.map(\.signal)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    // MARK: Subscribers

    /// Adds a subscriber, which first gets every current transfer.
    func subscribe() -> TransferSubscription {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (number, isFinished) = self.state.withLock { state in
            var mailbox = TransferMailbox()
            for transfer in state.transfers.values.sorted(by: { $0.id < $1.id }) { mailbox.put(.updated(transfer)) }
            state.lastNumber += 1
            state.subscribers[state.lastNumber] = Subscriber(mailbox: mailbox, signal: signal)
            return (state.lastNumber, state.isFinished)
        }
        if isFinished { signal.finish() }
        return TransferSubscription(board: self, number: number, signals: signals)
    }

    fileprivate func take(_ number: Int) -> TransferChange? {
        self.state.withLock { $0.subscribers[number]?.mailbox.take() }
    }

    fileprivate func unsubscribe(_ number: Int) {
        _ = self.state.withLock { $0.subscribers.removeValue(forKey: number) }
    }
}

/// A reader's subscription, which ends when it is released.
final class TransferSubscription: Sendable {
    private let board: TransferBoard
    private let number: Int
    /// Signals that there is a change to take; ends with the queue.
    let signals: AsyncStream<Void>

    fileprivate init(board: TransferBoard, number: Int, signals: AsyncStream<Void>) {
        (self.board, self.number, self.signals) = (board, number, signals)
    }

    deinit { self.board.unsubscribe(self.number) }

    func take() -> TransferChange? { self.board.take(self.number) }
}

/// The changes that a reader has not taken yet: the newest one to each transfer, in the order of the oldest.
struct TransferMailbox: Sendable {
    private var order: [Transfer.ID] = []
    private var first = 0
    private var changes: [Transfer.ID: TransferChange] = [:]
    /// The transfers that the reader has seen; it need not learn that others were removed.
    private var seen: Set<Transfer.ID> = []

    mutating func put(_ change: TransferChange) {
        let id = change.id
        if case .removed = change, !self.seen.contains(id) {
            self.changes[id] = nil
        } else if self.changes.updateValue(change, forKey: id) == nil {
            self.order.append(id)
        }
        // Changes that were taken or dropped leave their positions behind.
        guard self.order.count > 2 * self.changes.count + 64 else { return }
        self.order = self.order[self.first...].filter { self.changes[$0] != nil }
        self.first = 0
    }

    mutating func take() -> TransferChange? {
        while self.first < self.order.count {
            let id = self.order[self.first]
            self.first += 1
            guard let change = self.changes.removeValue(forKey: id) else { continue }
            if case .updated = change { self.seen.insert(id) } else { self.seen.remove(id) }
            return change
        }
        (self.order, self.first) = ([], 0)
        return nil
    }
}
