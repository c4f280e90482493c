// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The temporary name of a file in the directory of its destination, and how the file gets its final name.
struct TemporaryName: ~Copyable, Sendable {
    let directory: FileLocation.Directory
    let name: String

    /// Removes the name, if it is there.
    func remove() { unlinkat(self.directory.descriptor, self.name, 0) }

    /// Gives the file its final name.
    ///
    /// The file gets the permissions of the regular file that it replaces, or those of a new file.
    ///
    /// - Parameters:
    ///   - name: A name in the same directory.
    ///   - descriptor: The file, open.
    ///   - replacing: Whether it takes the place of a file that has the name. If not, `EEXIST` is thrown.
    ///   - synchronizing: Whether to wait until the disk has the file and its name.
    ///   - isPrivate: Whether a file that replaces none stays readable to its owner alone.
    /// - Throws: ``SystemError``.
    func move(
        to name: String,
        _ descriptor: CInt,
        replacing: Bool,
        synchronizing: Bool,
        isPrivate: Bool = false
    ) throws(SystemError) {
        self.setMode(of: descriptor, replacing: replacing ? name : nil, isPrivate: isPrivate)
        if synchronizing { try synchronizeFile(descriptor) }
        if replacing { try self.rename(to: name) } else { try self.directory.moveWithoutReplacing(self.name, to: name) }
    }

    /// Waits until the disk has the names of the directory.
    func synchronizeDirectory() throws(SystemError) {
        try self.directory.synchronize()
    }

    private func rename(to name: String) throws(SystemError) {
        let directory = self.directory.descriptor
        try checkReplaceable(name, in: directory)
        guard renameat(directory, self.name, directory, name) == 0 else { throw SystemError(.rename, errno) }
    }

    /// Gives the file the permissions of the regular file that it replaces, or those that a new file gets.
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

    /// The permissions that the umask, or the directory's default access list, gives to a new file.
    ///
    /// Found by creating an empty one: reading the umask would change it for the whole process for a moment. nil if none can be created.
    private var modeOfNewFile: mode_t? {
        let directory = self.directory.descriptor
        let name = "\(self.name).mode"
        // A process that was killed at this very place has left one, and its name is in the way.
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
