// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a name in a directory belongs to, compared with an open file.
enum NameHolder {
    /// The open file.
    case file
    /// Another file, directory or link.
    case another
    /// Nothing has the name.
    case nobody
}

extension FileLocation.Directory {
    /// Returns what a name belongs to.
    ///
    /// The number of a removed file is not given to another one while it is open.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - descriptor: The open file that it is compared with.
    /// - Returns: What has the name.
    borrowing func holder(of name: String, insteadOf descriptor: CInt) -> NameHolder {
        var (named, opened) = (stat(), stat())
        guard fstatat(self.descriptor, name, &named, AT_SYMLINK_NOFOLLOW) == 0 else { return .nobody }
        guard fstat(descriptor, &opened) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev else {
            return .another
        }
        return .file
    }

    /// Whether a path leads to this directory, as far as the system says.
    borrowing func isStill(at path: String) -> Bool {
        var (named, opened) = (stat(), stat())
        guard stat(path, &named) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        guard fstat(self.descriptor, &opened) == 0 else { return true }
        return named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }
}
