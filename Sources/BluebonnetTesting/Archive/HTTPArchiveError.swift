// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Why a file or a text is no archive, or could not be read or written.
///
/// Two errors are equal when their codes are equal.
public struct HTTPArchiveError: Error, Sendable {
    /// The kind of failure.
    public var code: Code

    /// A sentence that names the file or the entry.
    public var reason: String

    /// The underlying error.
    public var underlying: (any Error)?

    init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }
}

extension HTTPArchiveError {
    /// The kind of an ``HTTPArchiveError``: an open set.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case unreadable, unwritable, malformed
        }

        private let kind: Kind

        /// The code's name, for example `malformed`.
        public var description: String { self.kind.rawValue }

        /// The file could not be read.
        public static let unreadable = Self(kind: .unreadable)
        /// The file could not be written.
        public static let unwritable = Self(kind: .unwritable)
        /// It is not JSON, or not an archive in JSON.
        public static let malformed = Self(kind: .malformed)
    }
}

extension HTTPArchiveError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension HTTPArchiveError: CustomStringConvertible {
    /// The code and the reason.
    public var description: String { "\(self.code): \(self.reason)" }
}

extension HTTPArchiveError: LocalizedError {
    /// The reason, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.reason }
}
