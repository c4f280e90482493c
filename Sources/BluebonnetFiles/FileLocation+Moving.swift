// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FileLocation {
    /// Renames the file in its directory, if the new name is free.
    ///
    /// - Parameter name: The name, without a slash.
    /// - Throws: ``SystemError``: `EEXIST` if a file with that name exists.
    package func move(to name: String) throws(SystemError) {
        try self.openDirectory().moveWithoutReplacing(self.name, to: name)
    }
}

extension FileLocation.Directory {
    /// Renames a file of the directory without replacing an existing one.
    ///
    /// Creating a hard link fails if the name exists, atomically and on every POSIX system, which a rename does not.
    /// (Linux has renameat2 for this, but its declaration is not visible to Swift.) On file systems without hard links,
    /// an empty file reserves the name and the rename replaces it.
    borrowing func moveWithoutReplacing(_ name: String, to newName: String) throws(SystemError) {
        guard linkat(self.descriptor, name, self.descriptor, newName, 0) != 0 else {
            unlinkat(self.descriptor, name, 0)
            return
        }
        let code = errno
        guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else { throw SystemError(.rename, code) }
        let reserved = openat(self.descriptor, newName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard reserved >= 0 else { throw SystemError(.rename, errno) }
        close(reserved)
        guard renameat(self.descriptor, name, self.descriptor, newName) == 0 else {
            let code = errno
            unlinkat(self.descriptor, newName, 0)
            throw SystemError(.rename, code)
        }
    }
}
