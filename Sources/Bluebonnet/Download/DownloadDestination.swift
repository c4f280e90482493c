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

/// Where a downloaded file goes: an existing or future directory, and a name in it.
struct DownloadDestination: Sendable {
    /// The directory's path; "." for the current one.
    let directory: String

    /// The file's name.
    let name: String

    /// Takes a URL apart and looks whether a file may be put there.
    ///
    /// - Throws: `SessionError` with `destinationExists` or `destinationUnavailable`.
    init(_ url: URL, options: DownloadOptions) throws(SessionError) {
        guard url.isFileURL else { throw Self.unavailable("the destination is not a file URL") }
        let path = url.path(percentEncoded: false)
        guard !path.utf8.contains(0) else { throw Self.unavailable("the destination's path holds a NUL") }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        self.name = String(slash.map { path[path.utf8.index(after: $0)...] } ?? path[...])
        self.directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !self.name.isEmpty, self.name != ".", self.name != ".." else {
            throw Self.unavailable("the destination is a directory; name a file in it")
        }
        try self.checkVacancy(options)
    }

    /// Opens the directory, so that later steps stay in it even if it is moved.
    ///
    /// - Throws: `SessionError` with `destinationUnavailable`.
    func openDirectory() throws(SessionError) -> DirectoryDescriptor {
        let number = open(self.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("be opened", errno).destinationError(self) }
        return DirectoryDescriptor(number: number)
    }

    /// Makes every directory on the way that is missing.
    ///
    /// - Throws: `SessionError` with `destinationUnavailable` or `storageFull`.
    func createDirectories() throws(SessionError) {
        var path = ""
        for component in self.directory.split(separator: "/", omittingEmptySubsequences: false) {
            path += component
            defer { path += "/" }
            guard !component.isEmpty, component != "." else { continue }
            guard mkdir(path, 0o777) != 0, errno != EEXIST, errno != EISDIR else { continue }
            let failure = SystemFailure("be created", errno)
            // Read-only parents answer so for directories that are there.
            if failure.number == EROFS || failure.number == EACCES, access(path, F_OK) == 0 { continue }
            throw failure.destinationError(self)
        }
    }

    private func checkVacancy(_ options: DownloadOptions) throws(SessionError) {
        var status = stat()
        let path = self.directory == "/" ? "/\(self.name)" : "\(self.directory)/\(self.name)"
        if lstat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR {
                throw Self.unavailable("there is a directory at the destination; name a file in it")
            }
            if !options.contains(.overwrite) { throw SystemFailure("be created", EEXIST).destinationError(self) }
        } else if errno == ENOENT, options.contains(.createDirectories) {
            // It will be made when there is something to put into it.
        } else if errno != ENOENT {
            throw SystemFailure("be created", errno).destinationError(self)
        } else if access(self.directory, F_OK) != 0 {
            throw SystemFailure("be opened", errno).destinationError(self)
        }
    }

    private static func unavailable(_ reason: String) -> SessionError {
        SessionError(.destinationUnavailable, reason: reason)
    }
}

/// An open directory; closes itself.
struct DirectoryDescriptor: ~Copyable {
    let number: CInt

    deinit { close(self.number) }
}
