// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The temporary name of a file in its destination's directory, and the rename to its final name.
struct TemporaryName: ~Copyable, Sendable {
    let directory: FileLocation.Directory
    let name: String

    /// Removes the name, unless another file has it.
    func remove(of descriptor: CInt) {
        if !self.isTaken(from: descriptor) { unlinkat(self.directory.descriptor, self.name, 0) }
    }

    /// Whether another file than the open one has the name: somebody has removed that, and another process has begun
    /// its own.
    func isTaken(from descriptor: CInt) -> Bool {
        self.directory.holder(of: self.name, insteadOf: descriptor) == .another
    }

    /// Renames the file to its final name, unless another file has the temporary one.
    ///
    /// The file gets the permissions of the regular file that it replaces, or those of a new file. If it cannot take
    /// the name, only its owner can read it, as before.
    ///
    /// - Parameters:
    ///   - name: A name in the same directory.
    ///   - descriptor: The descriptor of the file.
    ///   - replacing: Whether it replaces an existing file. If not, `EEXIST` is thrown.
    ///   - synchronizing: Whether to wait until the file and its name are on the disk.
    ///   - isPrivate: Whether a file that replaces none remains readable by its owner only.
    /// - Throws: ``SystemError``: `ENOENT` if the file no longer has its temporary name.
    func move(
        to name: String,
        _ descriptor: CInt,
        replacing: Bool,
        synchronizing: Bool,
        isPrivate: Bool = false
    ) throws(SystemError) {
        self.setMode(of: descriptor, replacing: replacing ? name : nil, isPrivate: isPrivate)
        do throws(SystemError) {
            if synchronizing { try synchronizeFile(descriptor) }
            guard !self.isTaken(from: descriptor) else { throw SystemError(.rename, ENOENT) }
            if replacing {
                try self.rename(to: name)
            } else {
                try self.directory.moveWithoutReplacing(self.name, to: name)
            }
        } catch {
            fchmod(descriptor, 0o600)
            throw error
        }
    }

    /// Waits until the directory's names are on the disk.
    func synchronizeDirectory() throws(SystemError) {
        try self.directory.synchronize()
    }

    private func rename(to name: String) throws(SystemError) {
        let directory = self.directory.descriptor
        try checkReplaceable(name, in: directory)
        guard renameat(directory, self.name, directory, name) == 0 else { throw SystemError(.rename, errno) }
    }

    /// Sets the permissions of the file to those of the regular file that it replaces, or those of a new file.
    private func setMode(of file: CInt, replacing name: String?, isPrivate: Bool) {
        var status = stat()
        if let name, fstatat(self.directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        {
            fchmod(file, status.st_mode & 0o777)
        } else if !isPrivate, let mode = self.modeOfNewFile {
            fchmod(file, mode)
        }
    }

    /// The permissions of a new file, from the umask or the directory's default access control list.
    ///
    /// They are determined by creating an empty file: reading the umask would change it for the whole process for a
    /// moment. Nil if none can be created.
    private var modeOfNewFile: mode_t? {
        let directory = self.directory.descriptor
        let name = "\(self.name).mode"
        // A process that was killed at this point has left such a file, whose name blocks the creation.
        unlinkat(directory, name, 0)
        let descriptor = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unlinkat(directory, name, 0)
        }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}
