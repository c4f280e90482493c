// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps all processes from opening the database of a folder while its files are removed; released when it is
/// deallocated.
///
/// A database that is opened between two of the removals would share its log and index with the one that is created
/// next.
struct FolderLock: ~Copyable {
    private let descriptor: CInt

    /// Acquires the lock without waiting.
    ///
    /// Where the system cannot lock a folder, nothing is locked.
    ///
    /// - Parameters:
    ///   - path: The path of the database's file.
    ///   - isExclusive: Whether the files are removed; otherwise the database is opened.
    /// - Throws: ``DiskCacheError/busy`` if another connection holds the lock.
    init(ofFile path: String, isExclusive: Bool = false) throws(DiskCacheError) {
        let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        self.descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        while self.descriptor >= 0, flock(self.descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { throw .busy }
            guard errno == EINTR else { break }
        }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }
}
