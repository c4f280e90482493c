// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The transfers of a queue in three places: in its directory, in memory, and on the board that its users read.
struct TransferRecords: ~Copyable, Sendable {
    private let board: TransferBoard
    private let folder: URL
    private let store: TransferStore
    private var entries = TransferEntries()
    /// The transfers whose records are behind, because the disk has refused the last change.
    private var unwritten: Set<Transfer.ID> = []
    /// Keeps other queues out of the directory.
    private var lock: TransferStoreLock?
    /// Watches for new records; nil if the system does not support it.
    private var watcher: FolderWatcher?

    /// Opens the directory, or creates it.
    ///
    /// - Parameters:
    ///   - folder: The directory.
    ///   - board: Shows the transfers.
    /// - Throws: `SessionError`; see ``TransferQueue/init(at:session:options:prepare:)``.
    init(_ folder: URL, _ board: TransferBoard) async throws {
        let store = try await TransferStore.open(folder)
        self.lock = try store.lock()
        self.store = store
        self.board = board
        self.folder = folder
    }

    /// Watches for new records, if the system supports it.
    ///
    /// - Parameter notice: Called with the identities of records that may be new; nil if they are not known.
    mutating func watch(_ notice: @escaping @Sendable ([Transfer.ID]?) -> Void) {
        self.watcher = self.store.watch(notice)
    }

    /// Whether new records of other processes are noticed.
    var isWatched: Bool { self.watcher != nil }

    subscript(_ id: Transfer.ID) -> TransferEntry? { self.entries[id] }

    /// The transfer that starts next; see ``TransferEntries/next(at:besides:)``.
    func next<Value>(at now: SessionClock.Instant, besides active: [Transfer.ID: Value]) -> Transfer.ID? {
        self.entries.next(at: now, besides: active)
    }

    /// The time of the next start; see ``TransferEntries/nextDue(after:besides:)``.
    func nextDue<Value>(
        after now: SessionClock.Instant,
        besides active: [Transfer.ID: Value]
    ) -> SessionClock.Instant? {
        self.entries.nextDue(after: now, besides: active)
    }

    // MARK: Changes

    /// Adds a transfer.
    mutating func add(_ transfer: Transfer, at date: Date) throws -> Transfer.ID {
        let entry = try self.store.add(transfer, to: self.entries.count, at: date)
        self.keep(entry)
        return entry.id
    }

    /// Changes a transfer on the disk, and then in memory.
    ///
    /// - Returns: Whether anything has changed.
    mutating func change(_ id: Transfer.ID, _ work: (inout TransferEntry) -> Bool) throws -> Bool {
        guard var entry = self.entries[id] else { throw SessionError.noTransfer(id) }
        guard work(&entry) else { return false }
        try self.store(entry)
        return true
    }

    /// Keeps a transfer on the disk, and then in memory.
    mutating func store(_ entry: TransferEntry) throws(SessionError) {
        try self.store.write(entry)
        self.unwritten.remove(entry.id)
        self.keep(entry)
    }

    /// Keeps a transfer in memory; on the disk, too, if that is possible now, and if it does not say already that it is finished.
    ///
    /// - Returns: Whether it is on the disk; if not, ``storeUnwritten()`` tries again.
    @discardableResult
    mutating func storeIfPossible(_ entry: TransferEntry) -> Bool {
        let wasFinished = self.entries[entry.id]?.state == .finished && self.isWritten(entry.id)
        if entry.state != .finished || !wasFinished { self.write(entry) }
        self.keep(entry)
        return self.isWritten(entry.id)
    }

    /// Writes what the disk has refused before, if that is possible now.
    mutating func storeUnwritten() {
        for id in self.unwritten {
            if let entry = self.entries[id] { self.write(entry) }
        }
    }

    /// Whether the record of a transfer has its last change.
    func isWritten(_ id: Transfer.ID) -> Bool { !self.unwritten.contains(id) }

    private mutating func write(_ entry: TransferEntry) {
        do throws(SessionError) {
            try self.store.write(entry)
            self.unwritten.remove(entry.id)
        } catch {
            self.unwritten.insert(entry.id)
        }
    }

    /// Keeps a transfer in memory.
    mutating func keep(_ entry: TransferEntry) {
        self.entries[entry.id] = entry
        self.board.publish(entry.transfer)
    }

    /// Removes a transfer from the disk, and then from memory.
    mutating func remove(_ id: Transfer.ID) throws {
        try self.store.remove(id)
        self.forget(id)
    }

    private mutating func forget(_ id: Transfer.ID) {
        self.entries[id] = nil
        self.unwritten.remove(id)
        self.board.remove(id)
    }

    // MARK: The directory

    /// Reads unknown records, and drops those whose files were removed.
    ///
    /// - Parameters:
    ///   - moment: The time.
    ///   - active: The transfers that are not dropped.
    /// - Returns: What is new; the caller keeps it.
    /// - Throws: The errors of a disk.
    mutating func load<Value>(
        at moment: TransferMoment,
        besides active: [Transfer.ID: Value]
    ) throws(SessionError) -> [TransferEntry] {
        let (ids, others) = try self.store.identities()
        var unreadable = others.map { UnreadableTransfer(self.folder, $0, .broken) }
        var found: [TransferEntry] = []
        for id in ids
        where self.entries[id] == nil && self.entries.count + found.count < TransferStore.largestCount {
            do throws(TransferRecordFault) {
                found.append(try self.store.read(id, at: moment))
            } catch {
                try error.throwShortage()
                unreadable.append(UnreadableTransfer(self.folder, "\(id)\(TransferStore.nameEnding)", error))
            }
        }
        let there = Set(ids)
        for id in self.entries.ids where !there.contains(id) && active[id] == nil { self.forget(id) }
        self.board.unreadable = unreadable
        return found
    }

    /// Whether there are records among some that are not known; so if it is not known which ones are new.
    func lacks(_ ids: [Transfer.ID]?) -> Bool {
        ids?.allSatisfy { self.entries[$0] != nil } != true
    }

    /// Releases the directory.
    mutating func close() {
        self.watcher = nil
        // From here on the records may be those of another process.
        self.unwritten = []
        self.lock = nil
        self.board.finish()
    }
}
