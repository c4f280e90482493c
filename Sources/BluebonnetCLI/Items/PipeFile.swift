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

/// Pipes with a path: those of a shell's `<(command)`, and named pipes.
enum PipeFile {
    /// Returns whether a path is that of a pipe.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO
    }

    /// Reads a pipe to its end, and waits for its writer.
    ///
    /// - Parameters:
    ///   - path: The path of the pipe.
    ///   - limit: The largest number of bytes that is accepted.
    /// - Returns: The bytes.
    /// - Throws: `FileFault`.
    static func bytes(_ path: String, upTo limit: Int) throws(FileFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(SystemError(.open, errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(SystemError(.read, errno)) }
            guard count <= limit - bytes.count else { throw .tooLarge }
            bytes += piece[..<count]
        }
    }
}
