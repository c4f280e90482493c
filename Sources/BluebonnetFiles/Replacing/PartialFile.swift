// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written beside its destination and can outlive the process, to be continued by another one.
///
/// It is locked while it is open. Its journal, a small file beside it, describes its bytes; the caller defines its
/// content. If somebody removes the file, and another process begins one of the same name, that and its journal are not
/// touched. If the file is released before ``commit(replacing:synchronizing:)`` and was not kept, both are removed.
package struct PartialFile: ~Copyable, Sendable {
    /// What happens to the file when it is released without a commit.
    package enum Fate: Sendable {
        case removed, kept
    }

    /// The destination.
    package let location: FileLocation

    /// What happens to the file when it is released without a commit: it is removed unless changed.
    package var fate = Fate.removed

    private let temporary: TemporaryName
    private var writer: FileWriter
    private var isCommitted = false

    /// The number of received bytes that a killed process loses at most.
    private static var bufferSize: Int { 16 * 1024 }

    /// Creates the empty file with a random name.
    package init(at location: FileLocation) throws(SystemError) {
        let directory = try location.openDirectory()
        let (name, descriptor) = try AtomicFile.create(in: directory, for: location.name)
        // On file systems without locks, the random name excludes other processes.
        _ = systemLock(descriptor)
        self.location = location
        self.temporary = TemporaryName(directory: directory, name: name)
        self.writer = FileWriter(descriptor: descriptor)
    }

    /// Opens the file with a name, with its existing bytes, or creates it; and locks it.
    ///
    /// - Parameters:
    ///   - location: The destination.
    ///   - name: The name, in the same directory; usually ``name(for:)`` of the destination.
    /// - Throws: ``SystemError``: of action `lock` with `EWOULDBLOCK` if it is open already, here or in another
    ///   process.
    package init(at location: FileLocation, continuing name: String) throws(SystemError) {
        let directory = try location.openDirectory()
        let descriptor = try Self.open(name, of: location.name, in: directory)
        self.location = location
        self.temporary = TemporaryName(directory: directory, name: name)
        self.writer = FileWriter(descriptor: descriptor, bufferSize: Self.bufferSize)
    }

    deinit {
        // Closing the file is not enough: a range file that is still referenced keeps it open, and so does a process
        // that is being started.
        defer { systemUnlock(self.writer.descriptor) }
        guard !self.isCommitted, self.fate == .removed else { return }
        try? self.removeJournal()
        self.temporary.remove(of: self.writer.descriptor)
    }

    /// Whether bytes begin their way to the disk while later ones are written, for a file that waits for the disk at its end;
    /// false unless changed.
    package var startsWriteback: Bool {
        get { self.writer.startsWriteback }
        set { self.writer.startsWriteback = newValue }
    }

    /// The file's name.
    package var name: String { self.temporary.name }

    /// The file's path.
    package var path: String { self.location.sibling(self.name) }

    /// Whether the file still has its name: another process may have removed it.
    package var isThere: Bool {
        self.temporary.directory.holder(of: self.name, insteadOf: self.writer.descriptor) == .file
    }

    /// Identifies the file, before and after it is renamed to the destination.
    package var number: FileNumber? { FileNumber(descriptor: self.writer.descriptor) }

    /// The position of the next byte; 0 until ``truncate(to:)`` is called.
    package var byteCount: Int64 { self.writer.byteCount }

    /// Returns the number of bytes that have been passed to the system.
    package func storedByteCount() throws(SystemError) -> Int64 {
        var status = stat()
        guard fstat(self.writer.descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
        return Int64(status.st_size)
    }

    /// Appends bytes, immediately or together with later ones.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try self.writer.write(bytes)
    }

    /// Passes the buffered bytes to the system, where they survive the process.
    package mutating func flush() throws(SystemError) { try self.writer.flush() }

    /// Truncates the file to a length, which is the position of the next byte.
    package mutating func truncate(to byteCount: Int64) throws(SystemError) {
        try self.writer.truncate(to: byteCount)
    }

    /// Reads bytes that have been passed to the system.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try RegularFile.read(self.writer.descriptor, into: buffer, at: offset)
    }

    /// Waits until the written bytes are on the disk.
    package mutating func synchronize() throws(SystemError) {
        try self.writer.flush()
        try self.writer.synchronize()
    }

    /// Renames the file to the destination, once, and removes the journal.
    ///
    /// - Parameters:
    ///   - replacing: Whether it replaces an existing file. If not, `EEXIST` is thrown.
    ///   - synchronizing: Whether to wait until the file and its name are on the disk.
    /// - Throws: ``SystemError``: of action `rename` with `ENOENT` if the file no longer has its name; of the subject
    ///   `entry` if it is at the destination, and only its name may not be on the disk; of the subject `movedDirectory`
    ///   if it has its name, and the path leads to another directory now.
    package mutating func commit(replacing: Bool, synchronizing: Bool) throws(SystemError) {
        try self.writer.flush()
        try self.temporary.move(
            to: self.location.name,
            self.writer.descriptor,
            replacing: replacing,
            synchronizing: synchronizing
        )
        self.isCommitted = true
        try? self.removeJournal()
        if synchronizing {
            do throws(SystemError) {
                try self.temporary.synchronizeDirectory()
            } catch {
                throw error.of(.entry)
            }
        }
        // The file itself may have been moved already by a program that waits for it.
        guard self.temporary.directory.isStill(at: self.location.directory) else {
            throw SystemError(.rename, ENOENT, of: .movedDirectory)
        }
    }

    // MARK: Concurrent writes

    /// Returns the file for several tasks to write to, each at its own positions; ``write(_:)`` must not be called
    /// meanwhile.
    package func makeRangeFile() throws(SystemError) -> RangeFile {
        let directory = self.temporary.directory.descriptor
        return try RangeFile(
            sharing: self.writer.descriptor,
            in: directory,
            name: self.name,
            journal: self.journal,
            startsWriteback: self.startsWriteback
        )
    }

    /// Sets the length of the file, and reserves space for it.
    ///
    /// - Throws: ``SystemError``: `ENOSPC` if there is not enough space.
    package func allocate(_ byteCount: Int64) throws(SystemError) {
        try allocateFile(self.writer.descriptor, byteCount: byteCount)
    }

    // MARK: Journal

    private var journal: JournalFile { JournalFile(name: "\(self.name).journal") }

    /// Returns the journal's content; nil if there is none or it cannot be used.
    ///
    /// - Throws: ``SystemError`` if there may be a journal, and the system cannot read it now.
    package func readJournal() throws(SystemError) -> [UInt8]? {
        try self.journal.read(in: self.temporary.directory)
    }

    /// Replaces the journal atomically.
    ///
    /// - Parameters:
    ///   - content: Its content.
    ///   - synchronizing: Whether to wait until it is on the disk.
    /// - Throws: ``SystemError``: of action `rename` with `ENOENT` if another file has the name of this one.
    package func writeJournal(_ content: [UInt8], synchronizing: Bool) throws(SystemError) {
        try self.checkName()
        try self.journal.replace(content, in: self.temporary.directory, synchronizing: synchronizing)
    }

    /// Removes the journal, if it exists.
    ///
    /// - Throws: ``SystemError``: of action `rename` with `ENOENT` if another file has the name of this one.
    package func removeJournal() throws(SystemError) {
        try self.checkName()
        try self.journal.remove(in: self.temporary.directory)
    }

    /// - Throws: `ENOENT` if another file has the name, and with it the journal.
    private func checkName() throws(SystemError) {
        guard !self.temporary.isTaken(from: self.writer.descriptor) else { throw SystemError(.rename, ENOENT) }
    }

    /// Waits until the directory's names, including the journal's, are on the disk.
    package func synchronizeDirectory() throws(SystemError) { try self.temporary.synchronizeDirectory() }
}
