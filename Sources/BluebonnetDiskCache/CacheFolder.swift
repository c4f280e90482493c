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
        let path = Self.path(in: directory)
        do throws(SystemError) {
            try FileLocation(path: path)?.createDirectories(synchronizing: false, isPrivate: true)
        } catch {
            let folder = directory.path(percentEncoded: false)
            throw DiskCacheError(reason: "the folder “\(folder)” cannot be created: \(error.text)")
        }
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
        guard code == EEXIST else {
            throw DiskCacheError(reason: "the file “\(path)” cannot be created: \(SystemError.text(of: code))")
        }
    }
}
