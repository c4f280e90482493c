// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A small file that is replaced in one step: the journal beside a partial file, or the record of a transfer.
package struct JournalFile: Sendable {
    package let name: String

    /// The largest journal that is read, in bytes.
    package static var largest: Int { 64 * 1024 }

    package init(name: String) {
        self.name = name
    }

    /// The content; nil if there is none, or none that can be read: no regular file, another user's, or too large.
    package func read(in directory: borrowing FileLocation.Directory) -> [UInt8]? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = openat(directory.descriptor, self.name, flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_size <= Self.largest
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0) }
        return count == bytes.count ? bytes : nil
    }

    /// Replaces the content, in one step.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - directory: Where the file is.
    ///   - synchronizing: Whether to wait until the disk has it.
    /// - Throws: ``SystemError``.
    package func write(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) {
        try self.replace(content, in: directory, synchronizing: synchronizing)
    }

    /// Replaces the content, in one step, and keeps the file open.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - directory: Where the file is.
    ///   - synchronizing: Whether to wait until the disk has it.
    /// - Returns: The new file, whose content may be changed in place as long as it is not replaced again.
    /// - Throws: ``SystemError``.
    @discardableResult
    func replace(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) -> PositionedFile {
        let file = try self.prepare(content, in: directory, synchronizing: synchronizing)
        try self.commit(in: directory)
        if synchronizing { try directory.synchronize() }
        return file
    }

    /// Writes the next content beside the file, under another name.
    ///
    /// - Returns: The new file, which ``commit(in:)`` puts in the place of the old one.
    /// - Throws: ``SystemError``; nothing is left of it then.
    func prepare(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) -> PositionedFile {
        let fresh = self.freshName
        // Of this name there can only be what a killed process left: the lock of the partial file keeps everybody else out.
        unlinkat(directory.descriptor, fresh, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(directory.descriptor, fresh, flags, 0o600)
        guard descriptor >= 0 else { throw SystemError(.create, errno) }
        let file = PositionedFile(descriptor: descriptor)
        do throws(SystemError) {
            try content.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try file.write(UnsafeRawBufferPointer(bytes), at: 0)
            }
            if synchronizing { try file.synchronize() }
        } catch {
            unlinkat(directory.descriptor, fresh, 0)
            throw error
        }
        return file
    }

    /// Puts the prepared content in the place of the old one.
    ///
    /// - Throws: ``SystemError``; the old content is there then, and nothing is left of the new one.
    func commit(in directory: borrowing FileLocation.Directory) throws(SystemError) {
        guard renameat(directory.descriptor, self.freshName, directory.descriptor, self.name) == 0 else {
            let error = SystemError(.rename, errno)
            unlinkat(directory.descriptor, self.freshName, 0)
            throw error
        }
    }

    /// Removes the file, if there is one, and what a process that was killed while it replaced it has left.
    package func remove(in directory: borrowing FileLocation.Directory) {
        unlinkat(directory.descriptor, self.freshName, 0)
        unlinkat(directory.descriptor, self.name, 0)
    }

    /// Removes what processes have left that were killed while they replaced a file: what is an hour old, because other processes may write.
    ///
    /// - Parameters:
    ///   - ending: How the names of the files end.
    ///   - directory: Where they are.
    package static func removeLeftovers(ending: String, in directory: borrowing FileLocation.Directory) {
        let names = (try? directory.names(ending: ending + Self.freshEnding, upTo: Self.mostLeftovers)) ?? []
        let now = time(nil)
        for name in names {
            var status = stat()
            guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG, now - status.modified.tv_sec >= 3600
            else { continue }
            unlinkat(directory.descriptor, name, 0)
        }
    }

    private static let freshEnding = ".new"
    private static let mostLeftovers = 10_000

    /// The name under which the next content is written.
    private var freshName: String { self.name + Self.freshEnding }
}
