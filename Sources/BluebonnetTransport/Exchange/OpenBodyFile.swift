// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The open file of a ``FileBody``; closed with its last reference.
final class OpenBodyFile: Sendable {
    let body: FileBody
    /// What the channel sends from.
    let handle: NIOFileHandle

    /// Opens a file and looks at its length; blocks.
    init(_ body: FileBody) throws(TransportError) {
        try body.validate()
        // A pipe would block until somebody writes; without waiting it can be opened, and refused.
        let descriptor = open(body.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure("cannot be opened: \(TransportError.text(ofErrno: errno))") }
        self.body = body
        self.handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.failure("is no regular file")
        }
        try self.checkLength()
    }

    deinit {
        try? self.handle.close()
    }

    /// Checks that the file still has the length it had when the request was made.
    func checkLength() throws(TransportError) {
        var status = stat()
        let result = (try? self.handle.withUnsafeFileDescriptor { fstat($0, &status) }) ?? -1
        guard result == 0 else { throw Self.failure("cannot be looked at") }
        let length = Int64(status.st_size)
        let end = self.body.offset + self.body.byteCount
        guard length >= end else {
            throw Self.failure("has become shorter: it ends at byte \(length), and the body at byte \(end)")
        }
        guard !self.body.isWhole || length == end else {
            throw Self.failure("has become longer than the \(end) bytes it had")
        }
    }

    /// Reads bytes; blocks.
    ///
    /// - Returns: How many, at least one.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(TransportError) -> Int {
        while true {
            var code: CInt = 0
            let count =
                (try? self.handle.withUnsafeFileDescriptor { descriptor in
                    let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
                    code = errno
                    return count
                }) ?? -1
            if count > 0 { return count }
            guard count < 0 else { throw Self.failure("has become shorter: it ends at byte \(position)") }
            guard code == EINTR else { throw Self.failure("cannot be read: \(TransportError.text(ofErrno: code))") }
        }
    }

    private static func failure(_ reason: String) -> TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: "the body's file \(reason)", isRequestSent: true)
    }
}
