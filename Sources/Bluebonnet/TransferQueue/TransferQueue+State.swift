// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What the transfers of a queue do, for readers on any executor.
extension TransferQueue {
    /// The current transfers, in the order in which they were added.
    public nonisolated var transfers: [Transfer] { self.board.transfers }

    /// The records that cannot be used, which are left unchanged.
    public nonisolated var unreadable: [UnreadableTransfer] { self.board.unreadable }

    /// Every current transfer, and then each change of a state or a progress.
    ///
    /// Any number of tasks may read; the sequence ends with ``shutdown()``, or with the queue.
    public nonisolated var changes: TransferChanges { TransferChanges(board: self.board) }

    /// The transfer with an identity; nil if there is none.
    public nonisolated subscript(_ id: Transfer.ID) -> Transfer? { self.board[id] }

    /// Waits until no transfer is under way and none waits for another attempt.
    ///
    /// It does not wait for transfers that are paused or have failed permanently, nor, after the session or the queue was shut down, for
    /// waiting ones.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; ``SessionError`` with ``SessionError/Code/wouldDeadlock`` in a function that an
    ///   attempt of this queue calls.
    public nonisolated func waitUntilIdle() async throws {
        if TransferWork.isCurrent(of: self) { throw SessionError.waitsForOwnAttempt }
        try await self.board.waitUntilIdle()
    }
}
