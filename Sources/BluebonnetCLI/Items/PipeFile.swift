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
    /// - Throws: `CommandFailure` if it cannot be read, has more bytes, or a signal arrives.
    static func bytes(_ path: String, upTo limit: Int) throws(CommandFailure) -> [UInt8] {
        // A blocking open would wait for a writer, and a signal for that.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw LocalFile.failure(.system(SystemError(.open, errno)), path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            // Before its first writer a pipe is not ready; without this it would look as if it had ended.
            try Interrupts.wait(for: Int32(POLLIN), on: descriptor)
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { throw LocalFile.failure(.system(SystemError(.read, errno)), path) }
            guard count <= limit - bytes.count else { throw LocalFile.failure(.tooLarge, path) }
            bytes += piece[..<count]
        }
    }

    /// Opens a pipe for writing, and waits for its reader.
    ///
    /// - Parameter path: The path of the pipe.
    /// - Returns: The descriptor, which does not block; -1 if it cannot be opened, and `errno` says why.
    /// - Throws: `CommandFailure` if a signal arrives.
    static func openForWriting(_ path: String) throws(CommandFailure) -> CInt {
        while true {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            // It has no reader yet, which nothing but another attempt shows.
            guard descriptor < 0, errno == ENXIO || errno == EINTR else { return descriptor }
            try Interrupts.check()
            _ = poll(nil, 0, 20)
        }
    }
}
