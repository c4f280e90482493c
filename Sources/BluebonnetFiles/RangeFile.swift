// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that any task may write to, at explicit positions; it is closed with its last reference.
///
/// Bytes are passed to the system at once, where they survive the process. Writes at different positions do not
/// interfere.
package final class PositionedFile: Sendable {
    private let descriptor: CInt
    private let startsWriteback: Bool

    /// Takes ownership of a descriptor.
    init(descriptor: CInt) {
        self.descriptor = descriptor
        self.startsWriteback = false
    }

    /// Duplicates a descriptor of an open file.
    init(sharing descriptor: CInt, startsWriteback: Bool) throws(SystemError) {
        self.descriptor = try duplicate(descriptor)
        self.startsWriteback = startsWriteback
    }

    deinit { close(self.descriptor) }

    /// Writes bytes; blocks.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The position of the first one.
    /// - Throws: ``SystemError``; some of the bytes may have been written then.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        try writeAll(bytes, to: self.descriptor, at: offset, startsWriteback: self.startsWriteback)
    }

    /// Waits until the written bytes are on the disk.
    package func synchronize() throws(SystemError) { try synchronizeFile(self.descriptor) }

    /// Whether no other file has the name.
    fileprivate func mayUse(_ name: String, in directory: borrowing FileLocation.Directory) -> Bool {
        directory.holder(of: name, insteadOf: self.descriptor) != .another
    }
}

/// A partial file that is written at several positions concurrently, and its journal.
///
/// The file stays locked as long as the ``PartialFile`` exists, which must not be released while this is in use.
package final class RangeFile: Sendable {
    private let file: PositionedFile
    private let directory: FileLocation.Directory
    private let name: String
    private let journal: JournalFile

    /// - Parameters:
    ///   - descriptor: The descriptor of the file.
    ///   - directory: The descriptor of the directory.
    ///   - name: The name of the file in that directory.
    ///   - journal: The journal in that directory.
    ///   - startsWriteback: Whether bytes begin their way to the disk when they are written.
    /// - Throws: ``SystemError`` if no descriptors are left.
    init(
        sharing descriptor: CInt,
        in directory: CInt,
        name: String,
        journal: JournalFile,
        startsWriteback: Bool
    ) throws(SystemError) {
        self.file = try PositionedFile(sharing: descriptor, startsWriteback: startsWriteback)
        self.directory = FileLocation.Directory(descriptor: try duplicate(directory))
        self.name = name
        self.journal = journal
    }

    /// Writes bytes; blocks.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The position of the first one.
    /// - Throws: ``SystemError``.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        try self.file.write(bytes, at: offset)
    }

    /// Waits until the written bytes are on the disk.
    package func synchronize() throws(SystemError) { try self.file.synchronize() }

    /// Replaces the journal atomically.
    ///
    /// - Parameters:
    ///   - content: Its content.
    ///   - synchronizing: Whether to wait until it is on the disk.
    /// - Returns: The new journal, whose content may be changed in place until it is replaced again.
    /// - Throws: ``SystemError``.
    package func writeJournal(_ content: [UInt8], synchronizing: Bool) throws(SystemError) -> PositionedFile {
        try self.checkName()
        return try self.journal.replace(content, in: self.directory, synchronizing: synchronizing)
    }

    /// Writes the next journal beside the current one, and waits until it is on the disk.
    ///
    /// - Parameter content: Its content.
    /// - Returns: The next journal, whose content may be changed in place; ``useNextJournal()`` makes it the current
    ///   one.
    /// - Throws: ``SystemError``.
    package func prepareJournal(_ content: [UInt8]) throws(SystemError) -> PositionedFile {
        try self.checkName()
        return try self.journal.prepare(content, in: self.directory, synchronizing: true)
    }

    /// Replaces the current journal with the prepared one, atomically and without waiting for the disk.
    ///
    /// - Throws: ``SystemError``; the old one remains current then.
    package func useNextJournal() throws(SystemError) {
        try self.checkName()
        try self.journal.commit(in: self.directory)
    }

    /// - Throws: `ENOENT` if another file has the name, and with it the journal.
    private func checkName() throws(SystemError) {
        guard self.file.mayUse(self.name, in: self.directory) else { throw SystemError(.rename, ENOENT) }
    }

    /// Waits until the current journal's name is on the disk.
    package func synchronizeDirectory() throws(SystemError) { try self.directory.synchronize() }
}

/// Returns a duplicate descriptor of an open file, which child programs do not inherit.
private func duplicate(_ descriptor: CInt) throws(SystemError) -> CInt {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError(.open, errno) }
    return copy
}
