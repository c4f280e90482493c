// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The destination of a download.
struct DownloadPlace: Sendable {
    /// The way in which the file gets its name.
    enum Kind: Sendable {
        /// The file gets the suggested name, with a number if a file of that name exists.
        case proposed
        /// The file replaces an existing one atomically.
        case replacing
        /// The existing file is written in place, or created by way of a link: a file with several hard links, a link
        /// that leads nowhere.
        case inPlace
        /// A device or a pipe, from which nothing can be taken back.
        case stream
    }

    let kind: Kind

    /// The path that is written to; that of a temporary file if the server may suggest the name.
    let path: String

    /// Determines the destination, and checks that it is writable.
    ///
    /// - Parameters:
    ///   - path: The path that the user chose; nil for a file in the folder.
    ///   - folder: The folder; nil for the current one.
    /// - Throws: `CommandFailure` if the destination is not writable.
    init(_ path: String?, in folder: String?) throws(CommandFailure) {
        if let path {
            let target = try OutputFile.replaceableTarget(of: path)
            self.kind = target != nil ? .replacing : Self.isStream(path) ? .stream : .inPlace
            self.path = target ?? path
        } else {
            self.kind = .proposed
            self.path = "\(folder ?? ".")/.bluebonnet-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        }
        guard !self.isWrittenInPlace, let location = FileLocation(path: self.path) else { return }
        guard access(location.directory, W_OK | X_OK) != 0 else { return }
        throw OutputFile.failure(SystemError(.create, errno), path ?? location.directory)
    }

    /// Whether the bytes are written into what is there, so that none of them are kept for the next command.
    var isWrittenInPlace: Bool { self.kind == .inPlace || self.kind == .stream }

    /// The folder for bytes that are written into the place later: that of the file if it is writable, so that there is
    /// as much room, and that of temporary files otherwise.
    var waitingFolder: String {
        if self.kind == .inPlace, let location = FileLocation(path: self.path),
            access(location.directory, W_OK | X_OK) == 0
        {
            return location.directory
        }
        return FileManager.default.temporaryDirectory.path(percentEncoded: false)
    }

    /// The path for messages: the folder if the file has no name yet.
    var shownPath: String {
        self.kind == .proposed ? FileLocation(path: self.path)?.directory ?? self.path : self.path
    }

    /// The URL of the path.
    var url: URL { LiteralPath.url(self.path) }

    /// Gives the file its final name.
    ///
    /// - Parameter name: The suggested name.
    /// - Returns: The name of the file, or the path that the user chose.
    /// - Throws: `CommandFailure` if the file cannot be renamed; it is then removed.
    func settle(as name: String) throws(CommandFailure) -> String {
        guard self.kind == .proposed, let location = FileLocation(path: self.path) else { return self.path }
        for number in 0..<10_000 {
            let name = DownloadName.numbered(name, number)
            do throws(SystemError) {
                try location.move(to: name)
                return name
            } catch {
                guard error.code != EEXIST else { continue }
                unlink(self.path)
                throw OutputFile.failure(error, name)
            }
        }
        unlink(self.path)
        throw OutputFile.failure(SystemError(.rename, EEXIST), name)
    }

    private static func isStream(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
