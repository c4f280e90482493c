// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A small file that is replaced atomically: the journal of a partial file, or the record of a transfer.
package struct JournalFile: Sendable {
    package let name: String

    /// The maximum size of a journal that is read, in bytes.
    package static var largest: Int { 64 * 1024 }

    package init(name: String) {
        self.name = name
    }

    /// Returns the content; nil if there is none or it cannot be used: not a regular file, another user's, or too
    /// large.
    ///
    /// - Throws: ``SystemError`` if there may be a content, and the system cannot read it now: without a descriptor
    ///   left, for example.
    package func read(in directory: borrowing FileLocation.Directory) throws(SystemError) -> [UInt8]? {
        var status = stat()
        // Inspected first: without a descriptor left, a missing file cannot be told from another one by opening it.
        guard fstatat(directory.descriptor, self.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return try Self.nothing(.inspect, errno)
        }
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = openat(directory.descriptor, self.name, flags)
        guard descriptor >= 0 else { return try Self.nothing(.open, errno) }
        defer { close(descriptor) }
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno, of: .journal) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_size <= Self.largest else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0) }
        guard count >= 0 else { throw SystemError(.read, errno, of: .journal) }
        return count == bytes.count ? bytes : nil
    }

    /// Returns nil for an error that says that there is no file, or none that can be used.
    ///
    /// - Throws: ``SystemError`` for any other.
    private static func nothing(_ action: SystemError.Action, _ code: CInt) throws(SystemError) -> [UInt8]? {
        if [ENOENT, ELOOP, ENXIO, EACCES, EPERM].contains(code) { return nil }
        throw SystemError(action, code, of: .journal)
    }

    /// Replaces the content atomically.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - directory: The directory of the file.
    ///   - synchronizing: Whether to wait until it is on the disk.
    /// - Throws: ``SystemError``.
    package func write(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) {
        try self.replace(content, in: directory, synchronizing: synchronizing)
    }

    /// Replaces the content atomically, and keeps the file open.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - directory: The directory of the file.
    ///   - synchronizing: Whether to wait until it is on the disk.
    /// - Returns: The new file, whose content may be changed in place until it is replaced again.
    /// - Throws: ``SystemError``.
    @discardableResult
    func replace(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) -> PositionedFile {
        let file = try self.prepare(content, in: directory, synchronizing: synchronizing)
        try self.commit(in: directory)
        if synchronizing {
            do throws(SystemError) {
                try directory.synchronize()
            } catch {
                throw error.of(.journal)
            }
        }
        return file
    }

    /// Writes the next content to another file beside it.
    ///
    /// - Returns: The new file; ``commit(in:)`` replaces the old one with it.
    /// - Throws: ``SystemError``; the new file is removed then.
    func prepare(
        _ content: [UInt8],
        in directory: borrowing FileLocation.Directory,
        synchronizing: Bool
    ) throws(SystemError) -> PositionedFile {
        let fresh = self.freshName
        // A file with this name can only be left by a killed process: the lock of the partial file excludes all others.
        unlinkat(directory.descriptor, fresh, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(directory.descriptor, fresh, flags, 0o600)
        guard descriptor >= 0 else { throw SystemError(.create, errno, of: .journal) }
        let file = PositionedFile(descriptor: descriptor)
        do throws(SystemError) {
            try content.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try file.write(UnsafeRawBufferPointer(bytes), at: 0)
            }
            if synchronizing { try file.synchronize() }
        } catch {
            unlinkat(directory.descriptor, fresh, 0)
            throw error.of(.journal)
        }
        return file
    }

    /// Replaces the old content with the prepared one.
    ///
    /// - Throws: ``SystemError``; the old content remains then, and the new file is removed.
    func commit(in directory: borrowing FileLocation.Directory) throws(SystemError) {
        guard renameat(directory.descriptor, self.freshName, directory.descriptor, self.name) == 0 else {
            let error = SystemError(.rename, errno, of: .journal)
            unlinkat(directory.descriptor, self.freshName, 0)
            throw error
        }
    }

    /// Removes the file, if it exists, and a leftover of a process that was killed while it replaced the file.
    ///
    /// - Throws: ``SystemError`` if the file exists and could not be removed.
    package func remove(in directory: borrowing FileLocation.Directory) throws(SystemError) {
        unlinkat(directory.descriptor, self.freshName, 0)
        guard unlinkat(directory.descriptor, self.name, 0) != 0, errno != ENOENT else { return }
        throw SystemError(.remove, errno, of: .journal)
    }

    /// Removes leftovers of processes that were killed while they replaced a file, if they are an hour old; newer ones
    /// may be in use.
    ///
    /// - Parameters:
    ///   - ending: The suffix of the files' names.
    ///   - directory: Their directory.
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

    /// The name of the file with the next content.
    private var freshName: String { self.name + Self.freshEnding }
}
