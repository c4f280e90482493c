// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the whole content of small files.
package enum FileContent {
    /// Reads a file of any kind from its beginning to its end; blocks, for a pipe until its writer has closed it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``FileFault``.
    package static func read(_ path: String, upTo limit: Int) throws(FileFault) -> [UInt8] {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidPath }
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { throw .system(SystemError(.open, errno)) }
        defer { close(descriptor) }
        return try self.read(descriptor, upTo: limit)
    }

    /// Reads a regular file that only its owner may read or change; blocks.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes; nil if its mode gives others access.
    /// - Throws: ``FileFault``.
    package static func readPrivate(_ path: String, upTo limit: Int) throws(FileFault) -> [UInt8]? {
        let descriptor = try RegularFile.open(path)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(SystemError(.inspect, errno)) }
        guard status.st_mode & 0o077 == 0 else { return nil }
        return try self.read(descriptor, upTo: limit)
    }

    private static func read(_ descriptor: CInt, upTo limit: Int) throws(FileFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            // The descriptor does not block. A pipe without a writer yet would look as if it had ended.
            while poll(&readiness, 1, -1) < 0, errno == EINTR {}
            let count = piece.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count < 0, errno == EAGAIN { continue }
            guard count >= 0 else { throw .system(SystemError(.read, errno)) }
            if count == 0 { return bytes }
            guard count <= limit - bytes.count else { throw .tooLarge }
            bytes += piece[..<count]
        }
    }
}
