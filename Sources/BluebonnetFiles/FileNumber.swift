// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CFileSystem
#endif
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
    /// The time of its creation in nanoseconds since 1970; nil if the file system does not know it.
    ///
    /// A file system may give the number of a removed file to the next one; it does not give it the same time.
    package var created: Int64?

    package init(device: UInt64, inode: UInt64, created: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.created = created
    }

    /// Whether both may be numbers of the same file; a time that only one of them has does not decide.
    package func matches(_ other: FileNumber) -> Bool {
        guard self.device == other.device, self.inode == other.inode else { return false }
        guard let created, let otherCreated = other.created else { return true }
        return created == otherCreated
    }

    /// Returns the number of an open file; nil if the system does not report it.
    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
        #if os(Linux)
        self.created = Self.creation(descriptor, "", Self.emptyPath)
        #endif
    }

    private init(_ status: stat) {
        self.init(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        #if canImport(Darwin)
        self.created = Self.nanoseconds(Int64(status.st_birthtimespec.tv_sec), Int64(status.st_birthtimespec.tv_nsec))
        #endif
    }

    #if os(Linux)
    /// The value of `AT_EMPTY_PATH`, which the C libraries define only if their extensions are enabled.
    private static let emptyPath: CInt = 0x1000

    private static func creation(_ descriptor: CInt, _ path: String, _ flags: CInt) -> Int64? {
        var (seconds, nanoseconds): (Int64, UInt32) = (0, 0)
        guard file_creation_time(descriptor, path, flags, &seconds, &nanoseconds) == 0 else { return nil }
        return Self.nanoseconds(seconds, Int64(nanoseconds))
    }
    #endif

    /// A time that a file system reports may be any; it is only compared.
    private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 { seconds &* 1_000_000_000 &+ rest }

    /// Returns the regular file at a path, without following links; nil if there is none.
    package static func ofRegularFile(at location: FileLocation) -> (number: FileNumber, byteCount: Int64)? {
        var status = stat()
        guard lstat(location.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var number = FileNumber(status)
        #if os(Linux)
        number.created = Self.creation(AT_FDCWD, location.path, AT_SYMLINK_NOFOLLOW)
        #endif
        return (number, Int64(status.st_size))
    }
}
