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
/// It is locked as long as it is open. Beside it stands its journal, a small file that says what its bytes are; its content is the
/// caller's. If the file is dropped before ``commit(replacing:synchronizing:)`` and was not kept, both are removed.
package struct PartialFile: ~Copyable, Sendable {
    /// What happens to the file when it is dropped uncommitted.
    package enum Fate: Sendable {
        case removed, kept
    }

    /// The destination.
    package let location: FileLocation

    /// What happens to the file when it is dropped uncommitted; it is removed unless this is changed.
    package var fate = Fate.removed

    private let temporary: TemporaryName
    private var writer: FileWriter
    private var isCommitted = false

    /// What a killed process loses at most of the bytes that it had received.
    private static var bufferSize: Int { 16 * 1024 }

    /// Creates the file under a random name, empty.
    package init(at location: FileLocation) throws(SystemError) {
        let directory = try location.openDirectory()
        let (name, descriptor) = try AtomicFile.create(in: directory, for: location.name)
        // Where the file system has no locks, the random name keeps others away.
        _ = systemLock(descriptor)
        self.location = location
        self.temporary = TemporaryName(directory: directory, name: name)
        self.writer = FileWriter(descriptor: descriptor)
    }

    /// Opens the file of a name, with the bytes it has, or creates it, empty; and locks it.
    ///
    /// - Parameters:
    ///   - location: The destination.
    ///   - name: The name, in the same directory; usually ``name(for:)`` of the destination.
    /// - Throws: ``SystemError``: of action `lock` with `EWOULDBLOCK` if it is open already, here or in another process.
    package init(at location: FileLocation, continuing name: String) throws(SystemError) {
        let directory = try location.openDirectory()
        let descriptor = try Self.open(name, in: directory)
        self.location = location
        self.temporary = TemporaryName(directory: directory, name: name)
        self.writer = FileWriter(descriptor: descriptor, bufferSize: Self.bufferSize)
    }

    deinit {
        // Closing the file is not enough: a range file that is still referenced holds it open, and so does a process that is being started.
        defer { systemUnlock(self.writer.descriptor) }
        guard !self.isCommitted, self.fate == .removed else { return }
        self.removeJournal()
        self.temporary.remove()
    }

    /// The file's name.
    package var name: String { self.temporary.name }

    /// The file's path.
    package var path: String { self.location.sibling(self.name) }

    /// Whether the file still has its name: somebody may have removed it.
    package var isThere: Bool {
        var (named, opened) = (stat(), stat())
        let directory = self.temporary.directory.descriptor
        return fstat(self.writer.descriptor, &opened) == 0
            && fstatat(directory, self.name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino
    }

    /// What tells the file from others, before and after it takes the destination's name.
    package var number: FileNumber? { FileNumber(descriptor: self.writer.descriptor) }

    /// The number of bytes in front of the next one to be written; 0 until ``truncate(to:)`` was called.
    package var byteCount: Int64 { self.writer.byteCount }

    /// The number of bytes the system has.
    package func storedByteCount() throws(SystemError) -> Int64 {
        var status = stat()
        guard fstat(self.writer.descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
        return Int64(status.st_size)
    }

    /// Writes bytes at the end, now or with the ones that follow.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try self.writer.write(bytes)
    }

    /// Hands what is buffered to the system, where it survives the process.
    package mutating func flush() throws(SystemError) { try self.writer.flush() }

    /// Cuts the file to a length, where the next byte goes.
    package mutating func truncate(to byteCount: Int64) throws(SystemError) {
        try self.writer.truncate(to: byteCount)
    }

    /// Reads bytes the system has.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try RegularFile.read(self.writer.descriptor, into: buffer, at: offset)
    }

    /// Waits until the disk has what was written.
    package mutating func synchronize() throws(SystemError) {
        try self.writer.flush()
        try self.writer.synchronize()
    }

    /// Gives the file the destination's name, once, and removes the journal.
    ///
    /// - Parameters:
    ///   - replacing: Whether it takes the place of a file that is there. If not, `EEXIST` is thrown.
    ///   - synchronizing: Whether to wait until the disk has the file and its name.
    /// - Throws: ``SystemError``.
    package mutating func commit(replacing: Bool, synchronizing: Bool) throws(SystemError) {
        try self.writer.flush()
        try self.temporary.move(
            to: self.location.name,
            self.writer.descriptor,
            replacing: replacing,
            synchronizing: synchronizing
        )
        self.isCommitted = true
        self.removeJournal()
        if synchronizing { try self.temporary.synchronizeDirectory() }
    }

    // MARK: Several places

    /// The file as several tasks write to it, each at places of its own; ``write(_:)`` must not be called meanwhile.
    package func makeRangeFile() throws(SystemError) -> RangeFile {
        let directory = self.temporary.directory.descriptor
        return try RangeFile(sharing: self.writer.descriptor, in: directory, journal: self.journal)
    }

    /// Gives the file a length, and takes the room for it from the file system.
    ///
    /// - Throws: ``SystemError``: `ENOSPC` if there is no room.
    package func allocate(_ byteCount: Int64) throws(SystemError) {
        try allocateFile(self.writer.descriptor, byteCount: byteCount)
    }

    // MARK: Journal

    private var journal: JournalFile { JournalFile(name: "\(self.name).journal") }

    /// The journal's content; nil if there is none, or none that can be read.
    package func readJournal() -> [UInt8]? { self.journal.read(in: self.temporary.directory) }

    /// Replaces the journal, in one step.
    ///
    /// - Parameters:
    ///   - content: Its content.
    ///   - synchronizing: Whether to wait until the disk has it.
    /// - Throws: ``SystemError``.
    package func writeJournal(_ content: [UInt8], synchronizing: Bool) throws(SystemError) {
        try self.journal.replace(content, in: self.temporary.directory, synchronizing: synchronizing)
    }

    /// Removes the journal, if there is one.
    package func removeJournal() { self.journal.remove(in: self.temporary.directory) }

    /// Waits until the disk has the names of the directory, the journal's among them.
    package func synchronizeDirectory() throws(SystemError) { try self.temporary.synchronizeDirectory() }
}
