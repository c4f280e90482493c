// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file open for reading; it is closed with its last reference.
package final class RegularFile: Sendable {
    private let descriptor: CInt

    /// Opens a file; blocks.
    ///
    /// - Throws: ``FileFault``.
    package init(path: String) throws(FileFault) {
        self.descriptor = try Self.open(path)
    }

    deinit {
        close(self.descriptor)
    }

    /// Returns the current size of the file.
    package func byteCount() throws(FileFault) -> Int64 { try Self.byteCount(of: self.descriptor) }

    /// Returns the current identity of the file.
    package func identity() throws(FileFault) -> FileIdentity {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else { throw .system(SystemError(.inspect, errno)) }
        return try Self.identity(status)
    }

    /// Removes the name of a regular file if that is still the file of an identity; does nothing otherwise.
    ///
    /// The file need not be readable. If the path is that of a link to the file, the link is removed.
    ///
    /// - Throws: ``SystemError`` if the file is there and could not be removed.
    package static func remove(_ path: String, ifStill identity: FileIdentity) throws(SystemError) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0, (try? Self.identity(status)) == identity else { return }
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw SystemError(.remove, errno)
    }

    /// Reads into a buffer.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try Self.read(self.descriptor, into: buffer, at: offset)
    }

    /// Returns the size of the regular file at a path.
    package static func byteCount(ofPath path: String) throws(FileFault) -> Int64 {
        // C ends a path at the first NUL and would use another file.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidPath }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(SystemError(.inspect, errno)) }
        return try Self.byteCount(status)
    }

    /// Opens a regular file for a caller that closes the descriptor; blocks.
    package static func open(_ path: String) throws(FileFault) -> CInt {
        // Checked before it is opened: opening a device or a pipe can have side effects.
        _ = try Self.byteCount(ofPath: path)
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { throw .system(SystemError(.open, errno)) }
        do throws(FileFault) {
            _ = try Self.byteCount(of: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Returns the size of an open regular file.
    package static func byteCount(of descriptor: CInt) throws(FileFault) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(SystemError(.inspect, errno)) }
        return try Self.byteCount(status)
    }

    /// Reads from an open file at an offset.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    package static func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError(.read, errno) }
        }
    }

    private static func identity(_ status: stat) throws(FileFault) -> FileIdentity {
        let modified = status.modified
        return FileIdentity(
            byteCount: try Self.byteCount(status),
            seconds: Int64(modified.tv_sec),
            nanoseconds: Int64(modified.tv_nsec),
            inode: UInt64(status.st_ino)
        )
    }

    private static func byteCount(_ status: stat) throws(FileFault) -> Int64 {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFDIR: throw .directory
        default: throw .special
        }
    }
}

/// Why a file cannot be read.
package enum FileFault: Error, Equatable {
    /// The path is empty, as that of a URL that is not UTF-8, or contains a NUL.
    case invalidPath
    /// The path is a directory.
    case directory
    /// The path is a device, a socket or a pipe.
    case special
    /// The file is larger than the limit.
    case tooLarge
    /// A system call failed.
    case system(SystemError)

    /// The reason, for example "No such file or directory".
    package var text: String {
        switch self {
        case .invalidPath: "the path is empty or not UTF-8, or contains a NUL"
        case .directory: "it is a directory"
        case .special: "it is a device, a socket or a pipe"
        case .tooLarge: "it is too large"
        case .system(let error): error.text
        }
    }
}

/// Opens a file for reading.
///
/// O_NONBLOCK: opening a named pipe would otherwise wait for its writer.
func openForReading(_ path: String) -> CInt { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }

extension stat {
    /// The time of the last modification, which has two names in different systems.
    var modified: timespec {
        #if canImport(Darwin)
        self.st_mtimespec
        #else
        self.st_mtim
        #endif
    }
}
