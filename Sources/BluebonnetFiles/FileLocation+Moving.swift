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
    /// Gives the file another name in its directory, if that name is free.
    ///
    /// - Parameter name: The name, without a slash.
    /// - Throws: ``SystemError``: `EEXIST` if there is a file of that name.
    package func move(to name: String) throws(SystemError) {
        try self.openDirectory().moveWithoutReplacing(self.name, to: name)
    }
}

extension FileLocation.Directory {
    /// Renames a file of the directory, but never over one that appeared meanwhile.
    ///
    /// A second name fails where there is one, on every POSIX system and in one step, which a rename does not. (Linux has renameat2 for
    /// this; its declaration is hidden from Swift.) File systems without hard links take the name with an empty file of ours and rename
    /// over it.
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
