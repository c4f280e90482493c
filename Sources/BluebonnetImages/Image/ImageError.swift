// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An error in reading or decoding a picture.
///
/// Two errors are equal if their codes are equal. The description contains no byte of the image.
public struct ImageError: Error, Sendable {
    /// The kind of failure.
    public var code: Code

    /// One sentence for people: what happened and, if helpful, what to try.
    ///
    /// It begins with a small letter and ends without a full stop, so that it can stand behind a colon.
    public var reason: String

    /// The underlying error, if there is one.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: One sentence for people.
    ///   - underlying: The underlying error.
    public init(_ code: Code, reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }
}

extension ImageError {
    /// The kind of an ``ImageError``; the set is open, so that a new code is not a breaking change.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case malformed
            case unsupported
            case limitExceeded
            case outOfMemory
            case noSuchFrame
        }

        private let kind: Kind

        /// The code's name, for example `malformed`.
        public var description: String { self.kind.rawValue }

        /// The bytes are not an image, or the image is damaged or truncated.
        public static let malformed = Self(kind: .malformed)
        /// The format, or this variant of it, cannot be decoded by this build.
        public static let unsupported = Self(kind: .unsupported)
        /// The image exceeds one of the ``ImageLimits``.
        public static let limitExceeded = Self(kind: .limitExceeded)
        /// A system library could not allocate memory.
        public static let outOfMemory = Self(kind: .outOfMemory)
        /// There is no frame with this index.
        public static let noSuchFrame = Self(kind: .noSuchFrame)
    }
}

extension ImageError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension ImageError: CustomStringConvertible {
    public var description: String { "\(self.code): \(self.reason)" }
}

extension ImageError: LocalizedError {
    /// The reason, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.reason }
}
