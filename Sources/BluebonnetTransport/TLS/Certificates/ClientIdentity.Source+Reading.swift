// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ClientIdentity.Source {
    /// The largest file that is read.
    private static let limit = 1024 * 1024

    /// All bytes.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if the file is not there, may not be read, is not a file or is too large.
    func read() throws(TransportError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .file(let path): return try Self.read(path)
        }
    }

    private static func read(_ path: String) throws(TransportError) -> [UInt8] {
        let descriptor = path.utf8.contains(0) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let text = path.utf8.contains(0) ? "a path holds no NUL" : TransportError.text(ofErrno: errno)
            throw TransportError(setup: "the file \(path) cannot be read: \(text)")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.limit + 1)
        var count = 0
        while count < bytes.count {
            let piece = bytes.withUnsafeMutableBytes { buffer in
                #if canImport(Darwin)
                Darwin.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                #elseif canImport(Musl)
                Musl.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                #else
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                #endif
            }
            if piece < 0, errno == EINTR { continue }
            guard piece >= 0 else {
                throw TransportError(setup: "the file \(path) cannot be read: \(TransportError.text(ofErrno: errno))")
            }
            if piece == 0 { break }
            count += piece
        }
        guard count <= Self.limit else { throw TransportError(setup: "the file \(path) is larger than 1 MiB") }
        return Array(bytes.prefix(count))
    }
}
