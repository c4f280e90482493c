// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Identifies a file and its version, without reading the content.
package struct FileIdentity: Codable, Equatable, Sendable {
    /// The size.
    package var byteCount: Int64
    /// The time of the last modification, in seconds since 1970 and nanoseconds.
    package var seconds: Int64
    package var nanoseconds: Int64
    /// The number of the file in its file system.
    package var inode: UInt64

    package init(byteCount: Int64, seconds: Int64, nanoseconds: Int64, inode: UInt64) {
        self.byteCount = byteCount
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.inode = inode
    }
}
