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

/// The folder of a disk cache.
enum CacheFolder {
    /// The file's name holds the version of its tables: another version never opens it.
    private static let name = "responses-1.sqlite"

    /// Makes the folder and the file, for their owner alone.
    ///
    /// - Returns: The path of the database.
    static func prepare(_ directory: URL) throws(DiskCacheError) -> String {
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DiskCacheError(reason: "the folder cannot be made")
        }
        let path = directory.appending(path: Self.name).path(percentEncoded: false)
        // SQLite gives the files beside it the same permissions.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiskCacheError(reason: String(cString: strerror(errno))) }
        close(descriptor)
        return path
    }

    /// Removes a database that is broken.
    static func removeDatabase(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
