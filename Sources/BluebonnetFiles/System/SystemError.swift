// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A failed system call on a file.
package struct SystemError: Error, Equatable {
    /// The failed action, for a sentence that begins with "the file could not".
    package enum Action: String, Sendable {
        case open = "be opened"
        case create = "be created"
        case inspect = "be inspected"
        case read = "be read"
        case write = "be written"
        case synchronize = "be synchronized"
        case rename = "take its name"
        case lock = "be locked"
        case remove = "be removed"
    }

    /// The file that the action failed on.
    package enum Subject: Equatable, Sendable {
        /// The file that the caller has named, or its directory.
        case file
        /// The journal of another file.
        case journal
        /// Whatever already has the name of a partial file.
        case partialFile(name: String)
        /// The directory entry of a file, which has its name.
        case entry
        /// The directory of a file that has its name: it was moved or replaced.
        case movedDirectory
    }

    package let action: Action

    /// The value of `errno`.
    package let code: CInt

    package let subject: Subject

    package init(_ action: Action, _ code: CInt, of subject: Subject = .file) {
        self.action = action
        self.code = code
        self.subject = subject
    }

    /// Returns the same error of another file.
    func of(_ subject: Subject) -> SystemError { SystemError(self.action, self.code, of: subject) }

    /// Whether the file, or a folder in its path, does not exist.
    package var isMissingFile: Bool { self.code == ENOENT || self.code == ENOTDIR }

    /// Whether the system or the process has no descriptor, or no memory, left for the moment.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(self.code) }

    /// The system's text for the error, for example "No such file or directory".
    package var text: String { Self.text(of: self.code) }

    /// Returns the system's text for an error number.
    package static func text(of code: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let address = buffer.baseAddress, strerror_r(code, address, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: address)
        }
    }
}
