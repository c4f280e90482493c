// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Pipes that have a path: those of a shell's `<(command)`, and named ones.
enum PipeFile {
    /// Whether a path leads to a pipe.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO
    }
}
