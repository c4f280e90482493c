// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Synchronization

/// How the operations of a store use its database.
///
/// Nothing waits for another process while it holds the lock of the database, so that nobody waits for who waits.
extension DiskCacheStore {
    /// Reads; SQLite reads beside a process that writes.
    func read<Result: Sendable>(
        _ body: @Sendable (borrowing CacheDatabase) throws(DiskCacheError) -> Result
    ) async throws -> Result {
        try await self.busyReading.perform(upTo: Call.storePatience) { try self.withDatabase(writes: false, body) }
    }

    /// Writes, once no other process writes.
    func write(_ body: @Sendable (borrowing CacheDatabase) throws(DiskCacheError) -> Void) async throws {
        try await self.busyWriting.perform(upTo: Call.storePatience) { try self.withDatabase(writes: true, body) }
    }

    /// Performs an operation on the database once, after all deferred changes.
    ///
    /// - Parameters:
    ///   - writes: Whether it must not overtake deferred changes that another process prevents.
    ///   - body: The operation.
    /// - Returns: Its result.
    /// - Throws: The error of SQLite.
    func withDatabase<Result: Sendable>(
        writes: Bool,
        _ body: @Sendable (borrowing CacheDatabase) throws(DiskCacheError) -> Result
    ) throws(DiskCacheError) -> Result {
        try self.database.withLock { database throws(DiskCacheError) in
            try self.reopenIfOrphaned(&database)
            do throws(DiskCacheError) {
                try self.applyDeferredChanges(to: database)
            } catch {
                if writes { throw error }
            }
            return try database.repairing(body)
        }
    }

    /// Removes what killed processes have begun, and what exceeds the maximum.
    ///
    /// A process that writes at this moment must not keep a store from being opened. What is stored next does the same.
    func tidyUp() {
        let (now, maximum) = (self.clock.now, self.maximumByteCount)
        try? self.withDatabase(writes: true) { database throws(DiskCacheError) in
            try database.tidyUp(at: now, maximum: maximum)
        }
    }

    // MARK: Deferred changes

    /// Makes a change as soon as possible, and before the next operation of this store, without waiting for the disk.
    func schedule(_ change: DeferredChange) {
        self.deferred.withLock { $0.append(change) }
        self.applyLater()
    }

    private func applyLater() {
        // No object owns this task, and it retains the store: it ends with the change, or after it has waited for
        // another process for a while.
        Task { await self.applyDeferredChanges() }
    }

    private func applyDeferredChanges() async {
        do {
            try await self.busyWriting.perform(upTo: nil) {
                try self.database.withLock { database throws(DiskCacheError) in
                    try self.applyDeferredChangesLater(to: &database)
                }
            }
        } catch {
            // Another process has held the database for too long already; the remains of the entries are removed an
            // hour later.
            self.deferred.withLock { $0.keepInvalidations() }
        }
    }

    /// Removes every response of a URL, which counts as removed at once.
    ///
    /// - Throws: Any error; the removal is tried again and again then.
    func invalidate(_ key: CacheKey) async throws {
        self.deferred.withLock { $0.invalidate(key, at: self.clock.now) }
        defer { self.retryInvalidating() }
        try await self.write { _ in }
    }

    /// Tries the invalidations that are left until they succeed.
    private func retryInvalidating() {
        guard self.deferred.withLock({ $0.beginRetrying() }) else { return }
        // No object owns this task. It ends with the last invalidation, or with the store, which it does not retain.
        Task { [weak self] in
            var pause = 1
            repeat {
                try? await Task.sleep(for: .seconds(pause))
                pause = min(pause * 2, 60)
            } while self?.isStillInvalidating() ?? false
        }
    }

    private func isStillInvalidating() -> Bool {
        self.database.withLock { database in
            try? self.applyDeferredChangesLater(to: &database)
            return !self.deferred.withLock { $0.endRetrying() }
        }
    }

    /// Makes the deferred changes outside any other operation; without a file there is nothing to change, and none is
    /// created for it.
    private func applyDeferredChangesLater(to database: inout CacheDatabase) throws(DiskCacheError) {
        if self.isRemoved(database) {
            _ = self.deferred.withLock { $0.takeAll() }
            return
        }
        try self.reopenIfOrphaned(&database)
        try self.applyDeferredChanges(to: database)
    }

    /// Makes the deferred changes in their order; those that another process prevents stay.
    ///
    /// - Throws: The error of SQLite if another process holds the database.
    private func applyDeferredChanges(to database: borrowing CacheDatabase) throws(DiskCacheError) {
        var changes = self.deferred.withLock { $0.takeAll() }
        var failed: [DeferredChange] = []
        defer { self.deferred.withLock { $0.putBack(failed + changes) } }
        let maximum = self.maximumByteCount
        while let change = changes.first {
            do throws(DiskCacheError) {
                try database.repairing { database throws(DiskCacheError) in
                    try change.apply(to: database, maximum: maximum)
                }
            } catch  where error.isBusy {
                throw error
            } catch {
                // The remains of an entry are removed an hour later; what must not be reused is tried again.
                if change.isInvalidation { failed.append(change) }
            }
            changes.removeFirst()
        }
    }
}
