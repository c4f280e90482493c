// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The directory of a queue: one file for each transfer, replaced in one step and waited for until the disk has it; all functions block.
///
/// A record is created by whoever adds the transfer, under a name that nobody else makes, and changed by the owner of the directory alone. So
/// nobody writes to a file that another one writes to.
final class TransferStore: Sendable {
    /// The most records: 10,000.
    static let largestCount = 10_000
    static let nameEnding = ".transfer"
    private static let lockName = ".owner.lock"

    let url: URL
    private let location: FileLocation
    private let directory: FileLocation.Directory

    /// Opens the directory, or makes it and those above it.
    ///
    /// - Throws: `SessionError` with `transferQueueUnavailable`, `storageFull` or `storageFailed`.
    init(_ url: URL) throws(SessionError) {
        self.url = url
        let path = url.absoluteURL.path(percentEncoded: false)
        guard url.isFileURL,
            let location = FileLocation(path: path.utf8.last == UInt8(ascii: "/") ? path + "x" : path + "/x")
        else {
            throw SessionError(.transferQueueUnavailable, reason: "the folder of the queue is not a file URL")
        }
        self.location = location
        do throws(SystemError) {
            try location.createDirectories()
            self.directory = try location.openDirectory()
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    // Concurrent, because making and opening a directory blocks while the disk is busy, and the caller's actor may be the main one.
    @concurrent
    static func open(_ folder: URL) async throws -> TransferStore { try TransferStore(folder) }

    /// Makes this process the owner, as long as the lock is kept; the system gives it back when the process ends, however it ends.
    ///
    /// - Throws: `SessionError` with `transferQueueInUse` if there is one.
    func lock() throws(SessionError) -> TransferStoreLock {
        do throws(SystemError) {
            var file = try PartialFile(at: self.location, continuing: Self.lockName)
            // Never removed: another process may have opened it, and would lock a file without a name.
            file.fate = .kept
            JournalFile.removeLeftovers(ending: Self.nameEnding, in: self.directory)
            return TransferStoreLock(file: file)
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    /// The identities of the records, in the order in which they were added, and the names of files that have the ending of a record alone.
    func identities() throws(SessionError) -> (ids: [Transfer.ID], others: [String]) {
        let names: [String]
        do throws(SystemError) {
            // One that was removed can be listed all the same, and is then empty.
            var status = stat()
            guard fstat(self.directory.descriptor, &status) == 0, status.st_nlink > 0 else {
                throw SystemError(.open, ENOENT)
            }
            names = try self.directory.names(ending: Self.nameEnding, upTo: 2 * Self.largestCount)
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
        var (ids, others) = ([Transfer.ID](), [String]())
        for name in names {
            if let id = Self.identity(name) { ids.append(id) } else { others.append(name) }
        }
        return (ids.sorted(), others.sorted())
    }

    /// Tells which records get their names from now on, whoever writes them.
    ///
    /// - Parameter onRecords: Called on a thread of its own, with nil where the system has lost count: it must be fast and must not block.
    /// - Returns: What tells it until it is dropped; nil where the system does not tell.
    func watch(_ onRecords: @escaping @Sendable ([Transfer.ID]?) -> Void) -> FolderWatcher? {
        FolderWatcher(self.directory) { names in
            guard let names else { return onRecords(nil) }
            let ids = names.compactMap(Self.identity)
            if !ids.isEmpty { onRecords(ids) }
        }
    }

    /// Reads a record.
    ///
    /// - Throws: ``TransferRecordFault``.
    func read(_ id: Transfer.ID, at moment: TransferMoment) throws(TransferRecordFault) -> TransferEntry {
        guard let bytes = Self.file(id).read(in: self.directory) else { throw .unreadable }
        return try TransferRecord.entry(bytes, id: id, at: moment)
    }

    /// Writes a record, and returns when the disk has it.
    ///
    /// - Throws: `SessionError`.
    func write(_ entry: TransferEntry) throws(SessionError) {
        let content = try TransferRecord(entry).encoded()
        do throws(SystemError) {
            try Self.file(entry.id).write(content, in: self.directory, synchronizing: true)
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    /// Removes a record.
    ///
    /// - Throws: `SessionError`.
    func remove(_ id: Transfer.ID) throws(SessionError) {
        Self.file(id).remove(in: self.directory)
        do throws(SystemError) {
            try self.directory.synchronize()
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    private static func identity(_ name: String) -> Transfer.ID? {
        guard name.utf8.suffix(Self.nameEnding.utf8.count).elementsEqual(Self.nameEnding.utf8) else { return nil }
        return Transfer.ID(String(decoding: name.utf8.dropLast(Self.nameEnding.utf8.count), as: UTF8.self))
    }

    private static func file(_ id: Transfer.ID) -> JournalFile {
        JournalFile(name: id.description + Self.nameEnding)
    }
}

/// Keeps a directory for one process.
struct TransferStoreLock: ~Copyable, Sendable {
    private let file: PartialFile

    init(file: consuming PartialFile) {
        self.file = file
    }
}

extension TransferStore {
    /// Writes the record of a transfer that is new.
    ///
    /// - Returns: The entry, with an identity of its own.
    /// - Throws: `SessionError`.
    func add(_ transfer: Transfer, at date: Date) throws(SessionError) -> TransferEntry {
        try TransferSecrets.check(transfer)
        guard try self.identities().ids.count < Self.largestCount else {
            throw SessionError(
                .transferQueueFull,
                reason: "the queue has \(Self.largestCount) transfers; remove those that are finished"
            )
        }
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        let time = UInt64(exactly: min(max(microseconds.isNaN ? 0 : microseconds, 0), 9e18)) ?? 0
        let id = Transfer.ID(bitPattern: time, UInt64.random(in: 0...UInt64.max))
        let entry = TransferEntry(transfer.identified(by: id, added: date))
        try self.write(entry)
        return entry
    }
}
