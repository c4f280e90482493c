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

extension SerializationError {
    /// Returns the path of a file URL.
    ///
    /// - Throws: ``SerializationError/Code/invalidURL`` or ``SerializationError/Code/fileNotFound``.
    static func path(of url: URL) throws(SerializationError) -> String {
        guard url.isFileURL else {
            throw SerializationError(
                .invalidURL,
                reason: "a file URL is needed, not one of “\(url.scheme ?? "no scheme")”"
            )
        }
        return url.path(percentEncoded: false)
    }

    /// The error for a file that cannot be read.
    init(_ fault: FileFault, name: String) {
        switch fault {
        case .invalidPath:
            self.init(.fileNotFound, reason: "the file URL has no path that a file can have")
        case .directory:
            self.init(.notARegularFile, reason: "“\(name)” is a directory, not a file")
        case .special:
            self.init(.notARegularFile, reason: "“\(name)” is a device, a socket or a pipe, not a file")
        case .tooLarge:
            self.init(.limitExceeded, reason: "the file “\(name)” is too large")
        case .system(let error):
            self.init(opening: error, name: name)
        }
    }

    private init(opening error: SystemError, name: String) {
        switch error.code {
        case ENOENT, ENOTDIR, ENAMETOOLONG:
            self.init(.fileNotFound, reason: "there is no file “\(name)”")
        case EACCES, EPERM:
            self.init(.fileNotReadable, reason: "the file “\(name)” may not be read")
        default:
            self.init(.fileNotReadable, reason: "the file “\(name)” cannot be opened: \(error.text)")
        }
    }
}
