// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that any task may write to, at a position that it names; closed with its last reference.
///
/// Bytes are handed to the system at once, where they survive the process. Writes to different positions do not disturb each other.
package final class PositionedFile: Sendable {
    private let descriptor: CInt

    /// Takes over a descriptor.
    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Shares an open file.
    init(sharing descriptor: CInt) throws(SystemError) {
        self.descriptor = try duplicate(descriptor)
    }

    deinit { close(self.descriptor) }

    /// Writes bytes; blocks.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The position of the first one.
    /// - Throws: ``SystemError``; some of the bytes may have been written then.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        try writeAll(bytes, to: self.descriptor, at: offset)
    }

    /// Waits until the disk has what was written.
    package func synchronize() throws(SystemError) { try synchronizeFile(self.descriptor) }
}

/// A partial file that is written at several places at a time, and its journal.
///
/// The file stays locked as long as the ``PartialFile`` is there, which nobody may drop while this is written to.
package final class RangeFile: Sendable {
    private let file: PositionedFile
    private let directory: FileLocation.Directory
    private let journal: JournalFile

    /// - Parameters:
    ///   - descriptor: The file's.
    ///   - directory: The directory's.
    ///   - journal: The journal in that directory.
    /// - Throws: ``SystemError`` if there are no descriptors left.
    init(sharing descriptor: CInt, in directory: CInt, journal: JournalFile) throws(SystemError) {
        self.file = try PositionedFile(sharing: descriptor)
        self.directory = FileLocation.Directory(descriptor: try duplicate(directory))
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

    /// Waits until the disk has what was written.
    package func synchronize() throws(SystemError) { try self.file.synchronize() }

    /// Replaces the journal, in one step.
    ///
    /// - Parameters:
    ///   - content: Its content.
    ///   - synchronizing: Whether to wait until the disk has it.
    /// - Returns: The new journal, whose content may be changed in place as long as it is not replaced again.
    /// - Throws: ``SystemError``.
    package func writeJournal(_ content: [UInt8], synchronizing: Bool) throws(SystemError) -> PositionedFile {
        try self.journal.replace(content, in: self.directory, synchronizing: synchronizing)
    }

    /// Writes the next journal beside the one in use, and waits until the disk has it.
    ///
    /// - Parameter content: Its content.
    /// - Returns: The next journal, whose content may be changed in place; ``useNextJournal()`` puts it in the place of the old one.
    /// - Throws: ``SystemError``.
    package func prepareJournal(_ content: [UInt8]) throws(SystemError) -> PositionedFile {
        try self.journal.prepare(content, in: self.directory, synchronizing: true)
    }

    /// Puts the prepared journal in the place of the one in use, in one step that does not wait for the disk.
    ///
    /// - Throws: ``SystemError``; the old one stays in use then.
    package func useNextJournal() throws(SystemError) { try self.journal.commit(in: self.directory) }

    /// Waits until the disk knows which journal is in use.
    package func synchronizeDirectory() throws(SystemError) { try self.directory.synchronize() }
}

/// A second descriptor of an open file, which a new program does not inherit.
private func duplicate(_ descriptor: CInt) throws(SystemError) -> CInt {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError(.open, errno) }
    return copy
}
