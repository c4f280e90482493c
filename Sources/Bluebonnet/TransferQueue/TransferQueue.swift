// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import BluebonnetSerialization
public import FoundationEssentials

/// Downloads and uploads that survive the process: they are kept in a directory, started in order, retried, and continued by the next process.
///
/// ```swift
/// let queue = try await TransferQueue(at: directory, session: session) { request, transfer in
///     request.headers[.authorization] = "Bearer \(try await tokens.current())"
/// }
/// try await queue.add(.download(url, to: destination))
/// for await change in queue.changes {
///     if case .updated(let transfer) = change { print(transfer.state, transfer.progress.completed) }
/// }
/// ```
///
/// Each transfer is a file in the directory, written before anything is sent, and again with each change of its state. The process may be killed at
/// any moment: the next one that opens the directory continues with its records and with the bytes that are present. While no process has the
/// directory open, nothing is transferred; Linux has no service that does that for a program.
///
/// One process owns the directory, by a lock that ends with the process. Others add and list with ``TransferDirectory``. The queue lives as long as a
/// transfer is under way or waiting, even without references; ``shutdown()`` ends it.
public actor TransferQueue {
    /// The directory.
    public nonisolated let directory: URL

    /// The session that sends the requests.
    ///
    /// Its ``Session/Configuration/downloadDestination`` is not called: the records contain the destinations.
    public nonisolated let session: Session

    /// The options of the queue.
    public nonisolated let options: Options

    nonisolated let board = TransferBoard()
    private let prepare: Preparation
    private var records: TransferRecords
    /// The attempts under way, until they have stopped, and the removals of bytes.
    private var active: [Transfer.ID: Task<Void, Never>] = [:]
    private var alarm = TransferAlarm()
    private var isShutDown = false
    /// The transfers that attempts have given up; whether their records are removed with their bytes, when nothing is under way for them.
    private var givenUp: [Transfer.ID: Bool] = [:]
    /// The finished uploads whose files are kept, because they are the only evidence of the end until their records are written.
    private var untidied: Set<Transfer.ID> = []

    /// Opens the directory, or creates it, and starts the transfers in it.
    ///
    /// Records that cannot be read, and those of other versions of this library, are left unchanged; see ``unreadable``.
    ///
    /// - Parameters:
    ///   - directory: The file URL of the directory, which belongs to the queue alone. Only the owner of the process should be able to write there.
    ///   - session: The session that sends the requests.
    ///   - options: The options of the queue.
    ///   - prepare: Prepares each request; does nothing by default.
    /// - Throws: ``SessionError``: ``SessionError/Code/transferQueueInUse`` if another queue uses the directory,
    ///   ``SessionError/Code/transferQueueUnavailable``, ``SessionError/Code/storageFull`` or ``SessionError/Code/storageFailed``.
    public init(
        at directory: URL,
        session: Session,
        options: Options = Options(),
        prepare: @escaping Preparation = { _, _ in }
    ) async throws {
        self.directory = directory
        self.session = session
        self.options = options
        self.prepare = prepare
        self.records = try await TransferRecords(directory, self.board)
        self.records.watch { [weak self] ids in
            // Nobody owns this task: it ends as soon as the records are read.
            Task { await self?.notice(ids) }
        }
        try self.load()
        self.schedule()
    }

    // Nobody else would tell the readers of its changes, if it was never shut down.
    deinit { self.board.finish() }

    // MARK: Changes

    /// Adds a transfer, and returns when it is on the disk.
    ///
    /// - Parameter transfer: The transfer.
    /// - Returns: Its identity.
    /// - Throws: ``SessionError``: ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` for a transfer that contains a secret or is
    ///   too large, ``SessionError/Code/transferQueueFull``, ``SessionError/Code/shutDown``, and the errors of a disk.
    @discardableResult
    public func add(_ transfer: Transfer) throws -> Transfer.ID {
        try self.checkOpen()
        let id = try self.records.add(transfer, at: self.options.now())
        self.schedule()
        return id
    }

    /// Stops a transfer, and keeps its bytes; does nothing to one that has ended.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: ``SessionError``: ``SessionError/Code/transferNotFound``, ``SessionError/Code/shutDown``, and the errors of a disk, after which the
    ///   transfer is as it was.
    public func pause(_ id: Transfer.ID) throws {
        if try self.change(id, { $0.pause() }) { self.active[id]?.cancel() }
        self.schedule()
    }

    /// Allows a transfer that was paused, cancelled or has failed to start, and starts the next attempt of a waiting one now.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: What ``pause(_:)`` throws.
    public func resume(_ id: Transfer.ID) throws {
        try self.change(id) { $0.resume() }
        self.givenUp[id] = nil
        self.schedule()
    }

    /// Changes the priority of a transfer.
    ///
    /// - Parameters:
    ///   - priority: The priority.
    ///   - id: The identity of the transfer.
    /// - Throws: What ``pause(_:)`` throws.
    public func setPriority(_ priority: Transfer.Priority, of id: Transfer.ID) throws {
        try self.change(id) { entry in
            defer { entry.transfer.priority = priority }
            return entry.transfer.priority != priority
        }
    }

    /// Cancels a transfer, and waits until it has stopped and its bytes are removed; does nothing to a finished one.
    ///
    /// An unfinished upload is also terminated on the server, if the server can be reached.
    ///
    /// From a function that an attempt of this queue calls (``Preparation``, a retry rule, an interceptor) it does not wait: the bytes are removed
    /// when the attempt of the transfer has ended. Cancelling the calling task ends neither the removal nor the wait.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: What ``pause(_:)`` throws; ``SessionError/Code/shutDown`` also if the queue is shut down meanwhile, so that the next process has to
    ///   remove the bytes.
    public func cancel(_ id: Transfer.ID) async throws {
        if try self.change(id, { $0.cancel() }) { self.active[id]?.cancel() }
        // Another call may have cancelled it just now: its bytes must be removed for this one, too.
        guard self.records[id]?.state == .cancelled else { return }
        guard !TransferWork.isCurrent(of: self) else { return try self.giveUp(id, removesRecord: false) }
        // First an attempt, or a removal that another caller has begun, has to end.
        while let entry = self.records[id], entry.state == .cancelled, entry.isBegun || self.active[id] != nil {
            if self.active[id] == nil {
                try self.checkOpen()
                self.clear(id)
            }
            await self.active[id]?.value
        }
        self.schedule()
    }

    /// Removes a transfer; one that is not finished is cancelled first.
    ///
    /// The file of a finished download stays. From a function that an attempt of this queue calls it does not wait, like ``cancel(_:)``: the
    /// transfer is removed when its attempt has ended, unless it is resumed before that.
    ///
    /// - Parameter id: Its identity.
    /// - Throws: What ``cancel(_:)`` throws. If the bytes or the record cannot be removed, the transfer stays in the queue, finished or cancelled.
    public func remove(_ id: Transfer.ID) async throws {
        if TransferWork.isCurrent(of: self) {
            if try self.change(id, { $0.cancel() }) { self.active[id]?.cancel() }
            return try self.giveUp(id, removesRecord: true)
        }
        try await self.cancel(id)
        // A finished transfer may still be removing its remains.
        await self.active[id]?.value
        guard self.records[id] != nil else { return }
        try self.removeRecord(id)
    }

    /// Stops every transfer, and releases the directory; the records and the bytes are kept.
    ///
    /// It returns when no transfer is under way. Calling it again does nothing. From a function that an attempt of this queue calls it
    /// does not wait: the directory is released when the last attempt has ended.
    public func shutdown() async {
        self.isShutDown = true
        for task in self.active.values { task.cancel() }
        if !TransferWork.isCurrent(of: self) { for task in self.active.values { await task.value } }
        self.releaseIfIdle()
    }

    /// Looks for records that other processes have added.
    ///
    /// On Linux the queue notices them by itself; elsewhere it also looks for them whenever an attempt ends.
    ///
    /// - Throws: ``SessionError``: ``SessionError/Code/shutDown``, and the errors of a disk.
    public func rescan() throws {
        try self.checkOpen()
        try self.load()
        self.schedule()
    }

    // MARK: Records

    private var moment: TransferMoment {
        TransferMoment(instant: self.session.configuration.clock.now, date: self.options.now())
    }

    private func checkOpen() throws(SessionError) {
        guard self.isShutDown else { return }
        throw SessionError(.shutDown, reason: "the queue has been shut down")
    }

    /// Takes up unknown records, and determines how a transfer ended whose process could not record it.
    private func load() throws(SessionError) {
        for var entry in try self.records.load(at: self.moment, besides: self.active) {
            let run = self.makeRun(entry)
            if let byteCount = TransferRun.committedByteCount(entry) {
                // Killed just after the last step, it has left a journal, which is not looked for once the record is complete.
                run.removePartialFile()
                entry.finish(byteCount)
                // If it cannot be written now, the next process finds the same.
                self.records.storeIfPossible(entry)
            }
            entry.interrupt()
            self.records.keep(entry)
            if entry.state == .finished { run.tidy() }
            if entry.state == .cancelled, entry.isBegun { self.clear(entry.id) }
        }
    }

    /// Handles new records, which may be the queue's own.
    private func notice(_ ids: [Transfer.ID]?) {
        guard !self.isShutDown, self.records.lacks(ids) else { return }
        try? self.load()
        self.schedule()
    }

    /// Changes a transfer on the disk, and then in memory.
    ///
    /// - Returns: Whether anything has changed.
    @discardableResult
    private func change(_ id: Transfer.ID, _ work: (inout TransferEntry) -> Bool) throws -> Bool {
        try self.checkOpen()
        return try self.records.change(id, work)
    }

    // MARK: Attempts

    /// Starts the transfers that may start now, and sets the alarm for later ones.
    private func schedule() {
        self.catchUp()
        guard !self.board.isHalted, !self.isShutDown else { return }
        let now = self.session.configuration.clock.now
        while self.active.count < self.options.maximumConcurrentTransfers,
            let id = self.records.next(at: now, besides: self.active)
        {
            self.start(id)
        }
        // Without room no alarm is needed: the end of an attempt starts the next one.
        let hasRoom = self.active.count < self.options.maximumConcurrentTransfers
        let due = hasRoom ? self.records.nextDue(after: now, besides: self.active) : nil
        self.alarm.set(due, self.session.configuration.clock) { await self.awake() }
    }

    private func awake() {
        self.alarm.cancel()
        self.schedule()
    }

    private func makeRun(_ entry: TransferEntry) -> TransferRun {
        TransferRun(entry, session: self.session, prepare: self.prepare) { [weak self] milestone in
            await self?.reach(milestone, entry.id) ?? true
        }
    }

    private func start(_ id: Transfer.ID) {
        guard var entry = self.records[id] else { return }
        let run = self.makeRun(entry)
        do throws(SessionError) {
            entry.start(try TransferRun.reserve(entry.transfer))
            try self.records.store(entry)
        } catch {
            run.release()
            let end = TransferOutcome(result: .failed(error), request: Request(url: entry.transfer.url), elapsed: .zero)
            // Decided in a task, because the program's own code may decide; the task ends with that, and counts as an attempt meanwhile.
            self.active[id] = Task { await TransferWork.run(of: self) { await self.ended(id, end) } }
            return
        }
        // Owned by the queue until it has ended; pausing, cancelling and the end of the queue cancel it.
        self.active[id] = Task {
            await TransferWork.run(of: self) {
                async let report: Void = self.board.follow(run.progress, of: id)
                let outcome = await run.perform()
                await report
                await self.ended(id, outcome)
            }
        }
    }

    /// Records where an upload goes before it leaves traces, and that it is complete before they are removed.
    ///
    /// - Returns: Whether they may be removed.
    private func reach(_ milestone: TransferRun.Milestone, _ id: Transfer.ID) -> Bool {
        guard var entry = self.records[id], entry.reach(milestone) else { return true }
        let isWritten = self.records.storeIfPossible(entry)
        if case .uploaded = milestone, !isWritten { self.untidied.insert(id) }
        return isWritten
    }

    private func ended(_ id: Transfer.ID, _ outcome: TransferOutcome) async {
        if var entry = self.records[id] {
            let before = entry.state
            let verdict = TransferVerdict(policy: self.options.retries)
            await verdict.apply(outcome, to: &entry) { self.moment }
            // Nothing can be sent any more; the next process continues.
            if outcome.isEndOfSession { self.board.isHalted = true }
            if let newer = self.records[id] { entry.merge(newer, since: before) }
            // What cannot be written now is written with the next change; until then the record says that the transfer is under way, which is safe.
            self.records.storeIfPossible(entry)
        }
        self.settle(id)
        guard !self.isShutDown else { return }
        if !self.records.isWatched { try? self.load() }
        self.schedule()
    }

    // MARK: Ends

    /// Removes the bytes of a cancelled transfer, and perhaps the record of one that has ended: now, or when nothing is under way for
    /// it.
    private func giveUp(_ id: Transfer.ID, removesRecord: Bool) throws {
        guard let entry = self.records[id], [.cancelled, .finished].contains(entry.state) else { return }
        if self.active[id] != nil {
            self.givenUp[id] = removesRecord || self.givenUp[id] == true
        } else if entry.state == .cancelled, entry.isBegun {
            // The next process removes them.
            guard !self.isShutDown else { return }
            self.givenUp[id] = removesRecord
            self.clear(id)
        } else if removesRecord {
            try self.removeRecord(id)
        }
    }

    /// Handles the end of an attempt or of a removal: does what had to wait for it.
    private func settle(_ id: Transfer.ID) {
        self.active[id] = nil
        if let removesRecord = self.givenUp.removeValue(forKey: id) {
            // A record that cannot be removed now says that the transfer is cancelled.
            try? self.giveUp(id, removesRecord: removesRecord)
        }
        self.releaseIfIdle()
    }

    /// Removes the bytes of a cancelled transfer.
    private func clear(_ id: Transfer.ID) {
        // Owned by the queue, so that no caller's cancellation reaches it; a transfer that is resumed meanwhile starts afterwards.
        self.active[id] = Task {
            await self.discard(id)
            self.settle(id)
            self.schedule()
        }
    }

    private func discard(_ id: Transfer.ID) async {
        guard let entry = self.records[id], entry.state == .cancelled, entry.isBegun else { return }
        let run = self.makeRun(entry)
        let isDone = await TransferWork.run(of: self) { await run.discard() }
        // It may have been resumed meanwhile.
        guard isDone, var entry = self.records[id], entry.state == .cancelled else { return }
        entry.discarded()
        // Until it can be written the record says that there are bytes, which is safe.
        self.records.storeIfPossible(entry)
    }

    /// Releases the directory after ``shutdown()``, once nothing is under way.
    private func releaseIfIdle() {
        guard self.isShutDown, self.active.isEmpty else { return }
        self.alarm.cancel()
        self.catchUp()
        self.untidied = []
        self.records.close()
    }

    // MARK: Disks without room

    /// Writes what the disk has refused before, and removes the files that had to stand in for it.
    private func catchUp() {
        self.records.storeUnwritten()
        for id in self.untidied where self.active[id] == nil && self.records.isWritten(id) {
            self.untidied.remove(id)
            if let entry = self.records[id] { self.makeRun(entry).tidy() }
        }
    }

    /// Removes a record, and the files that stand in for it.
    private func removeRecord(_ id: Transfer.ID) throws {
        let entry = self.records[id]
        try self.records.remove(id)
        if self.untidied.remove(id) != nil, let entry { self.makeRun(entry).tidy() }
    }
}
