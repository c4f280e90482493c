// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Checks that a file may take a name: a rename would silently replace a device, pipe or socket.
///
/// - Parameters:
///   - path: The name, or a path relative to the directory.
///   - directory: The open directory; that of the process unless given.
/// - Throws: ``SystemError`` with the code `ENOTSUP`.
package func checkReplaceable(_ path: String, in directory: CInt = AT_FDCWD) throws(SystemError) {
    var status = stat()
    guard fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    // The rename itself fails if a folder has the name.
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFLNK, S_IFDIR: return
    default: throw SystemError(.rename, ENOTSUP)
    }
}
