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

/// The directory of a queue: one file for each transfer, replaced atomically and synchronized with the disk; all
/// functions block.
///
/// A record is created by the process that adds the transfer, under a unique name, and changed only by the owner of the
/// directory, so that no file has two writers.
final class TransferStore: Sendable {
    /// The largest number of records: 10,000.
    static let largestCount = 10_000
    static let nameEnding = ".transfer"
    private static let lockName = ".owner.lock"

    private let location: FileLocation
    private let directory: FileLocation.Directory

    /// Opens the directory, or creates it and those above it.
    ///
    /// - Throws: `SessionError` with `transferQueueUnavailable`, `storageFull` or `storageFailed`.
    init(_ url: URL) throws(SessionError) {
        let path = url.absoluteURL.path(percentEncoded: false)
        guard url.isFileURL,
            let location = FileLocation(path: path.utf8.last == UInt8(ascii: "/") ? path + "x" : path + "/x")
        else {
            throw SessionError(.transferQueueUnavailable, reason: "the folder of the queue is not a file URL")
        }
        self.location = location
        do throws(SystemError) {
            try location.createDirectories(synchronizing: true)
            self.directory = try location.openDirectory()
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    // Concurrent, because creating and opening a directory blocks while the disk is busy, and the caller's actor may be
    // the main actor.
    @concurrent
    static func open(_ folder: URL) async throws -> TransferStore { try TransferStore(folder) }

    /// Makes this process the owner, as long as the lock is kept; the system releases it at the end of the process.
    ///
    /// - Throws: `SessionError` with `transferQueueInUse` if there is an owner.
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

    /// The identities of the records, in the order in which they were added, and the names of files that only have the
    /// ending of a record.
    func identities() throws(SessionError) -> (ids: [Transfer.ID], others: [String]) {
        var (ids, others) = ([Transfer.ID](), [String]())
        for name in try self.names() {
            if let id = Self.identity(name) { ids.append(id) } else { others.append(name) }
        }
        return (ids.sorted(), others.sorted())
    }

    /// The number of files with the ending of a record.
    func count() throws(SessionError) -> Int { try self.names().count }

    private func names() throws(SessionError) -> [String] {
        do throws(SystemError) {
            // A removed directory can still be listed, and is then empty.
            var status = stat()
            guard fstat(self.directory.descriptor, &status) == 0, status.st_nlink > 0 else {
                throw SystemError(.open, ENOENT)
            }
            return try self.directory.names(ending: Self.nameEnding, upTo: 2 * Self.largestCount)
        } catch {
            throw SessionError(ofTransferQueue: error)
        }
    }

    /// Watches for records that get their names from now on, whichever process writes them.
    ///
    /// - Parameter onRecords: Called on a separate thread, with nil if the system has lost events: it must be fast and
    ///   must not block.
    /// - Returns: The watcher, which watches until it is released; nil if the system does not support it.
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
        let content: [UInt8]?
        do throws(SystemError) {
            content = try Self.file(id).read(in: self.directory)
        } catch {
            throw .system(error)
        }
        guard let bytes = content else { throw .unreadable }
        return try TransferRecord.entry(bytes, id: id, at: moment)
    }

    /// Writes a record, and returns when it is on the disk.
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
    /// - Throws: `SessionError`: the record may then still be there, and the next queue would read it.
    func remove(_ id: Transfer.ID) throws(SessionError) {
        do throws(SystemError) {
            try Self.file(id).remove(in: self.directory)
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

/// A process's exclusive lock on a directory.
struct TransferStoreLock: ~Copyable, Sendable {
    private let file: PartialFile

    init(file: consuming PartialFile) {
        self.file = file
    }
}

extension TransferStore {
    /// Writes the record of a new transfer.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - count: The number of records in the directory; listing a large one takes much longer than writing a record.
    ///   - date: The time.
    /// - Returns: The entry, with its own identity.
    /// - Throws: `SessionError`.
    func add(_ transfer: Transfer, to count: Int, at date: Date) throws(SessionError) -> TransferEntry {
        try TransferSecrets.check(transfer)
        guard count < Self.largestCount else {
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
