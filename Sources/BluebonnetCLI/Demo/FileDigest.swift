// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The digest of a file, which is read in pieces.
enum FileDigest {
    /// Reads a file to its end.
    ///
    /// - Returns: The number of bytes and their SHA-256 digest.
    /// - Throws: `CommandFailure` if the file cannot be read; `CancellationError` if the task is cancelled.
    @concurrent
    static func compute(_ path: String) async throws -> (byteCount: Int64, sha256: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure.usage("cannot read “\(path)”: \(SystemError.text(of: errno))")
        }
        defer { close(descriptor) }
        let source = FileDescriptorSource(descriptor: descriptor)
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024 * 1024, alignment: 16)
        defer { space.deallocate() }
        var digest = Digest()
        var byteCount: Int64 = 0
        while true {
            try Task.checkCancellation()
            let count = try source.read(into: space)
            if count == 0 { return (byteCount, digest.text) }
            digest.update(UnsafeRawBufferPointer(rebasing: space[..<count]))
            byteCount += Int64(count)
        }
    }
}
