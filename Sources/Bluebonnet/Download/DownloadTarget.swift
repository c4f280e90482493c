// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The target of a downloaded file, checked before anything is sent.
struct DownloadTarget: Sendable {
    /// The file's URL.
    let url: URL

    let location: FileLocation
    private let options: DownloadOptions

    /// Splits a file URL and checks whether a file may be created there.
    ///
    /// - Throws: `SessionError` with `destinationExists` or `destinationUnavailable`.
    init(_ url: URL, options: DownloadOptions) throws(SessionError) {
        guard url.isFileURL else { throw Self.unavailable("the destination is not a file URL") }
        let path = url.path(percentEncoded: false)
        guard !path.isEmpty else { throw Self.unavailable("the destination's path is empty or not UTF-8") }
        guard !path.utf8.contains(0) else { throw Self.unavailable("the destination's path contains a NUL") }
        guard let location = FileLocation(path: path) else {
            throw Self.unavailable("the destination is a directory; name a file in it")
        }
        self.url = url
        self.location = location
        self.options = options
        try self.checkVacancy()
    }

    /// Creates the directory if the options say so.
    ///
    /// - Parameter durability: Whether the new names are to survive a loss of power.
    /// - Throws: `SessionError`.
    func prepareDirectory(_ durability: DownloadPolicy.Durability) throws(SessionError) {
        guard self.options.contains(.createDirectories) else { return }
        do throws(SystemError) {
            try self.location.createDirectories(synchronizing: durability != .none)
        } catch {
            throw SessionError(error)
        }
    }

    /// Whether the directory exists.
    var hasDirectory: Bool { access(self.location.directory, F_OK) == 0 }

    private func checkVacancy() throws(SessionError) {
        var status = stat()
        if lstat(self.location.path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR {
                throw Self.unavailable("there is a directory at the destination; name a file in it")
            }
            if !self.options.contains(.overwrite) { throw SessionError(SystemError(.create, EEXIST)) }
            do throws(SystemError) {
                try checkReplaceable(self.location.path)
            } catch {
                throw SessionError(error)
            }
        } else if errno == ENOENT, self.options.contains(.createDirectories) {
            // The directory is created when the response has arrived.
        } else if errno != ENOENT {
            throw SessionError(SystemError(.create, errno))
        } else if access(self.location.directory, F_OK) != 0 {
            throw SessionError(SystemError(.open, errno))
        }
    }

    private static func unavailable(_ reason: String) -> SessionError {
        SessionError(.destinationUnavailable, reason: reason)
    }
}
