// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The ends of transfers, and of the queue.
///
/// An attempt calls functions of the program, which may end the transfer of that attempt: a call from there waits for nothing that is
/// under way, because it would wait for itself.
extension TransferQueue {
    /// Cancels a transfer, and waits until it has stopped and its bytes are removed; does nothing to a finished one.
    ///
    /// An unfinished upload is also terminated on the server, if the server can be reached.
    ///
    /// From a function that an attempt of this queue calls, such as the preparation of a request, a retry rule or an interceptor, it
    /// does not wait: the bytes are removed when the attempt of the transfer has ended.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: What ``pause(_:)`` throws.
    public func cancel(_ id: Transfer.ID) async throws {
        if try self.change(id, { $0.cancel() }) { self.active[id]?.cancel() }
        // Another call may have cancelled it just now: its bytes must be removed for this one, too.
        guard self.entries[id]?.state == .cancelled else { return }
        guard !TransferWork.isCurrent(of: self) else { return try self.giveUp(id, removesRecord: false) }
        await self.active[id]?.value
        try await self.discard(id)
        self.schedule()
    }

    /// Removes a transfer; one that is not finished is cancelled first.
    ///
    /// The file of a finished download stays. From a function that an attempt of this queue calls it does not wait, like
    /// ``cancel(_:)``: the transfer is removed when its attempt has ended, unless it is resumed before that.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: What ``pause(_:)`` throws.
    public func remove(_ id: Transfer.ID) async throws {
        if TransferWork.isCurrent(of: self) {
            if try self.change(id, { $0.cancel() }) { self.active[id]?.cancel() }
            return try self.giveUp(id, removesRecord: true)
        }
        try await self.cancel(id)
        // A finished transfer may still be removing its remains.
        await self.active[id]?.value
        guard self.entries[id] != nil else { return }
        try self.store.remove(id)
        self.forget(id)
    }

    /// Stops every transfer, and releases the directory; the records and the bytes are kept.
    ///
    /// It returns when no transfer is under way. Calling it again does nothing. From a function that an attempt of this queue calls it
    /// does not wait: the directory is released when the last attempt has ended.
    public func shutdown() async {
        self.isShutDown = true
        let tasks = Array(self.active.values)
        for task in tasks { task.cancel() }
        if !TransferWork.isCurrent(of: self) {
            for task in tasks { await task.value }
        }
        self.releaseIfIdle()
    }

    // MARK: Later

    /// Removes the bytes of a cancelled transfer, and perhaps the record of one that has ended: now, or when nothing is under way for
    /// it.
    private func giveUp(_ id: Transfer.ID, removesRecord: Bool) throws {
        guard let entry = self.entries[id], [.cancelled, .finished].contains(entry.state) else { return }
        if self.active[id] != nil || self.discarding.contains(id) {
            self.givenUp[id] = removesRecord || self.givenUp[id] == true
        } else if entry.state == .cancelled, entry.isBegun {
            self.givenUp[id] = removesRecord
            self.clear(id)
        } else if removesRecord {
            try self.store.remove(id)
            self.forget(id)
        }
    }

    /// Handles the end of an attempt: does what had to wait for it.
    func settle(_ id: Transfer.ID) {
        self.active[id] = nil
        if let removesRecord = self.givenUp.removeValue(forKey: id), !self.isShutDown {
            try? self.giveUp(id, removesRecord: removesRecord)
        }
        self.releaseIfIdle()
    }

    /// Removes the remains of a cancelled transfer for which nobody waits.
    func clear(_ id: Transfer.ID) {
        // Owned by the queue; a transfer that is resumed meanwhile starts when it has ended.
        self.active[id] = Task {
            try? await self.discard(id)
            self.active[id] = nil
            self.removeIfGivenUp(id)
            self.releaseIfIdle()
            self.schedule()
        }
    }

    /// Removes the bytes of a transfer that was cancelled.
    private func discard(_ id: Transfer.ID) async throws {
        guard let entry = self.entries[id], entry.state == .cancelled, entry.isBegun else { return }
        let run = self.makeRun(entry.transfer)
        self.discarding.insert(id)
        await TransferWork.run(of: self) { await run.discard() }
        self.discarding.remove(id)
        // It may have been resumed meanwhile.
        guard self.entries[id]?.state == .cancelled else { return }
        try self.change(id) { entry in
            entry.discarded()
            return true
        }
        if self.active[id] == nil { self.removeIfGivenUp(id) }
    }

    /// Removes the record of a cancelled transfer if an attempt has asked for that.
    private func removeIfGivenUp(_ id: Transfer.ID) {
        guard self.givenUp.removeValue(forKey: id) == true, self.entries[id]?.state == .cancelled else { return }
        // A record that cannot be removed now says that the transfer is cancelled.
        guard (try? self.store.remove(id)) != nil else { return }
        self.forget(id)
    }

    /// Releases the directory after ``shutdown()``, once nothing is under way.
    private func releaseIfIdle() {
        guard self.isShutDown, self.active.isEmpty else { return }
        self.alarm.cancel()
        self.watcher = nil
        self.lock = nil
        self.board.finish()
    }
}
