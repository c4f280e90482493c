// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder of a disk cache.
enum CacheFolder {
    /// The file's name contains the version of its tables: another version never opens it.
    private static let name = "responses-1.sqlite"

    /// Keeps the stores of this process away from a file while one of them creates it.
    private static let making = Mutex(())

    /// Creates the folder and the file, for their owner alone.
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
        let path = Self.path(in: directory)
        try Self.making.withLock { _ throws(DiskCacheError) in try Self.makeFile(path) }
        return path
    }

    /// The path of the database in a folder.
    static func path(in directory: URL) -> String {
        directory.appending(path: Self.name).path(percentEncoded: false)
    }

    /// Creates the file, unless it exists.
    ///
    /// An existing file is not opened: when a descriptor is closed, the system releases every lock of this process on
    /// the file, including those of other stores.
    private static func makeFile(_ path: String) throws(DiskCacheError) {
        // SQLite gives the files beside it the same permissions.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        let code = errno
        guard code == EEXIST else { throw DiskCacheError(reason: SystemError.text(of: code)) }
    }
}
