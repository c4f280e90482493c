// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import BluebonnetSerialization
public import FoundationEssentials

/// Downloads and uploads that survive the process: they are kept in a directory, started in order, retried, and continued by the next process.
///
/// ```swift
/// let queue = try await TransferQueue(at: folder, session: session) { request, transfer in
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
/// One process owns the directory, by a lock that ends with the process. Others add and list with ``TransferFolder``.
///
/// The queue lives as long as a transfer is under way or waiting, even without references; ``shutdown()`` ends it.
public actor TransferQueue {
    /// Prepares the request of an attempt.
    ///
    /// It is called once for each attempt, in no particular task: with a request that has the URL of the transfer and no header fields, and with the
    /// transfer. It sets what must not be written to the disk: credentials, and queries with secrets. It may change the URL, for example to a newly
    /// signed one. An error that it throws ends the attempt; a ``SessionError`` by the rules of ``Options/retries``, any other permanently.
    public typealias Preparation = @Sendable (_ request: inout Request, _ transfer: Transfer) async throws -> Void

    /// The directory.
    public nonisolated let folder: URL

    /// The session that sends the requests.
    ///
    /// Its ``Session/Configuration/downloadDestination`` is not called: the records contain the destinations.
    public nonisolated let session: Session

    /// The options of the queue.
    public nonisolated let options: Options

    nonisolated let board = TransferBoard()
    private let prepare: Preparation
    let store: TransferStore
    var lock: TransferStoreLock?
    /// Watches for new records; nil if the system does not support it.
    var watcher: FolderWatcher?
    var entries = TransferEntries()
    /// The attempts under way, and the removals of bytes.
    ///
    /// An attempt that was told to stop stays here until it has stopped.
    var active: [Transfer.ID: Task<Void, Never>] = [:]
    /// Waits for the time of the next attempt.
    var alarm = TransferAlarm()
    var isShutDown = false
    /// The transfers that attempts have given up, whose bytes are removed when nothing is under way for them; and whether their
    /// records are removed, too.
    var givenUp: [Transfer.ID: Bool] = [:]
    /// The transfers whose bytes a caller of ``cancel(_:)`` removes.
    var discarding: Set<Transfer.ID> = []

    /// Opens the directory, or creates it, and starts the transfers in it.
    ///
    /// Records that cannot be read, and those of other versions of this library, are left unchanged; see ``unreadable``.
    ///
    /// - Parameters:
    ///   - folder: The file URL of the directory, which belongs to the queue alone. Only the owner of the process should be able to write there.
    ///   - session: The session that sends the requests.
    ///   - options: The options of the queue.
    ///   - prepare: Prepares each request; does nothing by default.
    /// - Throws: ``SessionError``: ``SessionError/Code/transferQueueInUse`` if another queue uses the directory,
    ///   ``SessionError/Code/transferQueueUnavailable``, ``SessionError/Code/storageFull`` or ``SessionError/Code/storageFailed``.
    public init(
        at folder: URL,
        session: Session,
        options: Options = Options(),
        prepare: @escaping Preparation = { _, _ in }
    ) async throws {
        self.folder = folder
        self.session = session
        self.options = options
        self.prepare = prepare
        self.store = try await TransferStore.open(folder)
        self.lock = try self.store.lock()
        self.watcher = self.store.watch { [weak self] ids in
            // Nobody owns this task: it ends as soon as the records are read.
            Task { await self?.notice(ids) }
        }
        try self.load()
        self.schedule()
    }

    // MARK: State

    /// The current transfers, in the order in which they were added.
    public nonisolated var transfers: [Transfer] { self.board.transfers }

    /// The records that cannot be used, which are left unchanged.
    public nonisolated var unreadable: [UnreadableTransfer] { self.board.unreadable }

    /// Every current transfer, and then each change of a state or a progress.
    ///
    /// Any number of tasks may read; the sequence ends with ``shutdown()``.
    public nonisolated var changes: TransferChanges { TransferChanges(board: self.board) }

    /// The transfer with an identity; nil if there is none.
    public nonisolated subscript(_ id: Transfer.ID) -> Transfer? { self.board[id] }

    /// Waits until no transfer is under way and none waits for another attempt.
    ///
    /// It does not wait for transfers that are paused or have failed permanently, nor, after the session was shut down, for waiting ones.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public nonisolated func waitUntilIdle() async throws {
        var changes = self.changes.makeAsyncIterator()
        while self.board.isBusy, await changes.next() != nil {}
        try Task.checkCancellation()
    }

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
        let entry = try self.store.add(transfer, at: self.options.now())
        self.keep(entry)
        self.schedule()
        return entry.id
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

    /// Adds unknown records, and drops those whose files were removed.
    private func load() throws(SessionError) {
        let (ids, others) = try self.store.identities()
        var unreadable = others.map { UnreadableTransfer(self.folder, $0, .broken) }
        let moment = self.moment
        for id in ids where self.entries[id] == nil && self.entries.count < TransferStore.largestCount {
            do throws(TransferRecordFault) {
                var entry = try self.store.read(id, at: moment)
                self.takeUp(&entry)
                self.keep(entry)
                if entry.state == .cancelled, entry.isBegun { self.clear(id) }
            } catch {
                unreadable.append(UnreadableTransfer(self.folder, "\(id)\(TransferStore.nameEnding)", error))
            }
        }
        let there = Set(ids)
        for id in self.entries.ids where !there.contains(id) && self.active[id] == nil { self.forget(id) }
        self.board.unreadable = unreadable
    }

    /// Handles new records, which may be the queue's own.
    private func notice(_ ids: [Transfer.ID]?) {
        guard !self.isShutDown, ids?.allSatisfy({ self.entries[$0] != nil }) != true else { return }
        try? self.load()
        self.schedule()
    }

    /// Determines how a transfer ended whose process could not record it.
    private func takeUp(_ entry: inout TransferEntry) {
        if let byteCount = TransferRun.committedByteCount(entry) {
            // Killed just after the last step, it has left a journal, which is not looked for once the record is complete.
            self.makeRun(entry.transfer).removePartialFile()
            entry.finish(byteCount)
            // If it cannot be written now, the next process finds the same.
            try? self.store.write(entry)
        }
        entry.interrupt()
        if entry.state == .finished { self.makeRun(entry.transfer).tidy() }
    }

    private func keep(_ entry: TransferEntry) {
        self.entries[entry.id] = entry
        self.board.publish(entry.transfer)
    }

    func forget(_ id: Transfer.ID) {
        self.entries[id] = nil
        self.board.remove(id)
    }

    /// Changes a transfer on the disk, and then in memory.
    ///
    /// - Returns: Whether anything has changed.
    @discardableResult
    func change(_ id: Transfer.ID, _ work: (inout TransferEntry) -> Bool) throws -> Bool {
        try self.checkOpen()
        guard var entry = self.entries[id] else { throw SessionError.noTransfer(id) }
        guard work(&entry) else { return false }
        try self.store.write(entry)
        self.keep(entry)
        return true
    }

    // MARK: Attempts

    /// Starts the transfers that may start now, and sets the alarm for later ones.
    func schedule() {
        guard !self.board.isHalted, !self.isShutDown else { return }
        let now = self.session.configuration.clock.now
        while self.active.count < self.options.maximumConcurrentTransfers,
            let id = self.entries.next(at: now, besides: self.active)
        {
            self.start(id)
        }
        // Without room no alarm is needed: the end of an attempt starts the next one.
        let hasRoom = self.active.count < self.options.maximumConcurrentTransfers
        let due = hasRoom ? self.entries.nextDue(after: now, besides: self.active) : nil
        self.alarm.set(due, self.session.configuration.clock) { await self.awake() }
    }

    private func awake() {
        self.alarm.cancel()
        self.schedule()
    }

    func makeRun(_ transfer: Transfer) -> TransferRun {
        TransferRun(transfer, session: self.session, prepare: self.prepare) { [weak self] byteCount in
            await self?.complete(transfer.id, byteCount)
        }
    }

    private func start(_ id: Transfer.ID) {
        guard var entry = self.entries[id] else { return }
        let run = self.makeRun(entry.transfer)
        do throws(SessionError) {
            entry.start(try TransferRun.reserve(entry.transfer))
            try self.store.write(entry)
            self.keep(entry)
        } catch {
            run.release()
            let outcome = TransferOutcome(
                result: .failed(error),
                request: Request(url: entry.transfer.url),
                elapsed: .zero
            )
            // Decided in a task, because the program's own code may decide; the task ends with that, and counts as an attempt meanwhile.
            self.active[id] = Task {
                await TransferWork.run(of: self) { await self.ended(id, outcome) }
            }
            return
        }
        // Owned by the queue until it has ended; pausing, cancelling and the end of the queue cancel it.
        self.active[id] = Task {
            await TransferWork.run(of: self) {
                async let report: Void = self.board.follow(run.progress, of: id)
                let outcome = await run.perform()
                // It ends with the attempt.
                await report
                await self.ended(id, outcome)
            }
        }
    }

    /// Records an upload as complete before its traces are removed.
    private func complete(_ id: Transfer.ID, _ byteCount: Int64) {
        guard var entry = self.entries[id] else { return }
        entry.finish(byteCount)
        try? self.store.write(entry)
        self.keep(entry)
    }

    private func ended(_ id: Transfer.ID, _ outcome: TransferOutcome) async {
        if var entry = self.entries[id] {
            let before = entry.state
            let verdict = TransferVerdict(policy: self.options.retries)
            await verdict.apply(outcome, to: &entry) { self.moment }
            // Nothing can be sent any more; the next process continues.
            if outcome.isEndOfSession { self.board.isHalted = true }
            if let newer = self.entries[id] { entry.merge(newer, since: before) }
            // What cannot be written now is written with the next change; until then the record says that the transfer is under way, which is safe.
            if entry.state != .finished || self.entries[id]?.state != .finished { try? self.store.write(entry) }
            self.keep(entry)
        }
        self.settle(id)
        guard !self.isShutDown else { return }
        if self.watcher == nil { try? self.load() }
        self.schedule()
    }
}
