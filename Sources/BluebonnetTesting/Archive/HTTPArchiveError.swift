// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Why a file or a text is no archive, or could not be read or written.
public struct HTTPArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// The file could not be read.
        case unreadable
        /// The file could not be written.
        case unwritable
        /// It is not JSON, or not an archive in JSON.
        case malformed
    }

    /// The kind of failure.
    public var code: Code

    /// A sentence that names the file or the entry.
    public var reason: String

    /// The code and the reason.
    public var description: String { "\(self.code.rawValue): \(self.reason)" }

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension HTTPArchiveError: LocalizedError {
    /// The reason, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.reason }
}
