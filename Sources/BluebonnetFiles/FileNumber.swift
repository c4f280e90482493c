// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Identifies a file among all files that exist at the same time; it does not change when the file is renamed.
package struct FileNumber: Codable, Equatable, Sendable {
    /// The number of the file system.
    package var device: UInt64
    /// The number of the file in its file system.
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Returns the number of an open file; nil if the system does not report it.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Returns the regular file at a path, without following links; nil if there is none.
    package static func ofRegularFile(at location: FileLocation) -> (number: FileNumber, byteCount: Int64)? {
        var status = stat()
        guard lstat(location.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (FileNumber(status), Int64(status.st_size))
    }
}
