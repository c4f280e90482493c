// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file that is open for reading; closed when its last owner lets go.
final class OpenFile: Sendable {
    private let descriptor: Int32
    private let name: String

    /// Opens a file.
    ///
    /// - Throws: ``SerializationError/Code/invalidURL``, ``SerializationError/Code/fileNotFound``,
    ///   ``SerializationError/Code/notARegularFile`` or ``SerializationError/Code/fileNotReadable``.
    init(_ url: URL) throws(SerializationError) {
        let path = try Self.path(of: url)
        let name = url.lastPathComponent
        // Looked at before it is opened: opening a device or a pipe can have effects of its own.
        try Self.checkRegularFile(path, name: name)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(errno, name: name) }
        self.descriptor = descriptor
        self.name = name
        _ = try self.byteCount()
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// The size the file has now.
    func byteCount() throws(SerializationError) -> Int64 {
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else { throw Self.error(errno, name: self.name) }
        return try Self.byteCount(status, name: self.name)
    }

    /// Reads into the caller's buffer.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SerializationError) -> Int {
        while true {
            let count = pread(self.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            let code = errno
            guard code == EINTR else {
                throw SerializationError(
                    .readFailed,
                    reason: "The file '\(self.name)' cannot be read: \(Self.text(of: code))."
                )
            }
        }
    }

    /// The size of a regular file.
    ///
    /// - Throws: ``SerializationError`` if it is not there or not a regular file.
    static func regularFileByteCount(of url: URL) throws(SerializationError) -> Int64 {
        try Self.checkRegularFile(try Self.path(of: url), name: url.lastPathComponent)
    }

    /// The path of a file URL.
    static func path(of url: URL) throws(SerializationError) -> String {
        guard url.isFileURL else {
            throw SerializationError(
                .invalidURL,
                reason: "A file URL is needed, not one of '\(url.scheme ?? "no scheme")'."
            )
        }
        let path = url.path(percentEncoded: false)
        // C would end the path at a NUL and open another file.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SerializationError(.fileNotFound, reason: "The file URL has no path that a file can have.")
        }
        return path
    }

    static func text(of code: Int32) -> String { String(cString: strerror(code)) }

    @discardableResult
    private static func checkRegularFile(_ path: String, name: String) throws(SerializationError) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.error(errno, name: name) }
        return try Self.byteCount(status, name: name)
    }

    private static func byteCount(_ status: stat, name: String) throws(SerializationError) -> Int64 {
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            let what = kind == S_IFDIR ? "a directory" : "a device, a socket or a pipe"
            throw SerializationError(.notARegularFile, reason: "'\(name)' is \(what), not a file.")
        }
        return Int64(status.st_size)
    }

    private static func error(_ code: Int32, name: String) -> SerializationError {
        switch code {
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            SerializationError(.fileNotFound, reason: "There is no file '\(name)'.")
        case EACCES, EPERM:
            SerializationError(.fileNotReadable, reason: "The file '\(name)' may not be read.")
        default:
            SerializationError(.fileNotReadable, reason: "The file '\(name)' cannot be opened: \(Self.text(of: code)).")
        }
    }
}
