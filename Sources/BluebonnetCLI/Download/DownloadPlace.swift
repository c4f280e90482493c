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

/// Where a download goes.
struct DownloadPlace: Sendable {
    /// How the file comes to its name.
    enum Kind: Sendable {
        /// It gets the name that the server proposes, and a number if there is a file of that name.
        case proposed
        /// It takes the place of what is there, in one step.
        case replacing
        /// It is written into what is there: a device, a pipe, a file with several names.
        case inPlace
    }

    let kind: Kind

    /// The path that the bytes are written to; that of a file for a moment, where the name is the server's to propose.
    let path: String

    /// Finds the place, and whether it can be written.
    ///
    /// - Parameters:
    ///   - path: The path that a person chose; nil for a file in the folder.
    ///   - folder: The folder; nil for the current one.
    /// - Throws: `CommandFailure` if it cannot.
    init(_ path: String?, in folder: String?) throws(CommandFailure) {
        if let path {
            let target = try OutputFile.replaceableTarget(of: path)
            self.kind = target == nil ? .inPlace : .replacing
            self.path = target ?? path
        } else {
            self.kind = .proposed
            self.path = "\(folder ?? ".")/.bluebonnet-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        }
        guard self.kind != .inPlace, let location = FileLocation(path: self.path) else { return }
        guard access(location.directory, W_OK | X_OK) != 0 else { return }
        throw OutputFile.failure(SystemError(.create, errno), path ?? location.directory)
    }

    /// The path as the session takes it.
    var url: URL { URL(filePath: self.path) }

    /// Gives the file its name.
    ///
    /// - Parameter name: The name that was proposed.
    /// - Returns: The name it got, or the path where a person chose it.
    /// - Throws: `CommandFailure` if no name can be given; the file is then removed.
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
}
