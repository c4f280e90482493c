// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An error of building a request or of deserializing a response.
///
/// Two errors are equal if their codes are equal, so that a test can say `#expect(error.code == .fileNotFound)`. The
/// description contains the code, the reason and the path of a value that could not be encoded; it never contains a body,
/// a query or a header value.
public struct SerializationError: Error, Sendable, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of failure.
    public var code: Code

    /// One sentence for people: what happened and, if helpful, what to try.
    ///
    /// It begins with a small letter and ends without a full stop, so that it can stand behind a colon.
    public var reason: String

    /// The underlying error, if there is one.
    ///
    /// For a response with both an unacceptable type *and* an unacceptable status, one error is nested in the other.
    public var underlying: (any Error)?

    /// The path of keys and indices to the value that could not be encoded or decoded; empty if there is none.
    ///
    /// It contains the keys of dictionaries, which come from the body if that could not be decoded. A reason has a star
    /// in place of each.
    public var codingPath: [String]

    /// The refused response, if the failure concerns one.
    public var response: Response?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - reason: One sentence for people.
    ///   - underlying: The underlying error.
    ///   - codingPath: The path to the invalid value.
    ///   - response: The refused response.
    public init(
        _ code: Code,
        reason: String,
        underlying: (any Error)? = nil,
        codingPath: [String] = [],
        response: Response? = nil
    ) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
        self.codingPath = codingPath
        self.response = response
    }
}

extension SerializationError {
    /// The kind of a ``SerializationError``.
    ///
    /// The set is open, so that a new code is not a breaking change.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidURL
            case invalidMethod
            case invalidHeader
            case invalidParameters
            case unencodableValue
            case malformedEscape
            case invalidBoundary
            case fileNotFound
            case notARegularFile
            case fileNotReadable
            case fileNotWritable
            case lengthMismatch
            case bodyNotReplayable
            case bodyNotAllowed
            case readFailed
            case limitExceeded
            case unacceptableContentType
            case unacceptableStatus
            case emptyBody
            case malformedBody
            case decodingFailed
            case unsupportedCharset
            case noSerializerSucceeded
        }

        private let kind: Kind

        /// The code's name, for example `fileNotFound`.
        public var description: String { self.kind.rawValue }

        /// The text is not a URL that a request can be sent to.
        public static let invalidURL = Self(kind: .invalidURL)
        /// The method is not a token (RFC 9110 section 9.1).
        public static let invalidMethod = Self(kind: .invalidMethod)
        /// A header name is not a token, or a value contains CR, LF or NUL (RFC 9110 section 5).
        public static let invalidHeader = Self(kind: .invalidHeader)
        /// The parameters have a structure that cannot be encoded, for example a query whose root is not a dictionary.
        public static let invalidParameters = Self(kind: .invalidParameters)
        /// A value cannot be represented in the format; see ``SerializationError/codingPath``.
        public static let unencodableValue = Self(kind: .unencodableValue)
        /// A percent sign is not followed by two hexadecimal digits, or the unescaped bytes are not UTF-8 (RFC 3986 section 2.1).
        public static let malformedEscape = Self(kind: .malformedEscape)
        /// A multipart boundary violates RFC 2046 section 5.1.1.
        public static let invalidBoundary = Self(kind: .invalidBoundary)
        /// There is no file at the path.
        public static let fileNotFound = Self(kind: .fileNotFound)
        /// The path refers to a directory, a pipe, a socket or a device.
        public static let notARegularFile = Self(kind: .notARegularFile)
        /// The file exists but cannot be read.
        public static let fileNotReadable = Self(kind: .fileNotReadable)
        /// The file cannot be created or written.
        public static let fileNotWritable = Self(kind: .fileNotWritable)
        /// A file or a reader returned fewer or more bytes than declared.
        public static let lengthMismatch = Self(kind: .lengthMismatch)
        /// The body can be read only once and was requested again.
        public static let bodyNotReplayable = Self(kind: .bodyNotReplayable)
        /// The method does not allow the given kind of body.
        public static let bodyNotAllowed = Self(kind: .bodyNotAllowed)
        /// A body's source failed while it was read.
        public static let readFailed = Self(kind: .readFailed)
        /// Input is larger, deeper or longer than the limits allow.
        public static let limitExceeded = Self(kind: .limitExceeded)
        /// The response's media type is not one of those accepted.
        public static let unacceptableContentType = Self(kind: .unacceptableContentType)
        /// The response's status is not one of those accepted.
        public static let unacceptableStatus = Self(kind: .unacceptableStatus)
        /// A value was expected and the response had no body.
        public static let emptyBody = Self(kind: .emptyBody)
        /// The body is not valid in its declared format.
        public static let malformedBody = Self(kind: .malformedBody)
        /// The body is valid but does not match the requested type.
        public static let decodingFailed = Self(kind: .decodingFailed)
        /// The charset is unknown or the text cannot be represented in it.
        public static let unsupportedCharset = Self(kind: .unsupportedCharset)
        /// Every serializer of a compound one refused the response; the reason contains their errors.
        public static let noSerializerSucceeded = Self(kind: .noSerializerSucceeded)
    }
}

extension SerializationError {
    /// Returns the error with one more key at the front of its path.
    ///
    /// - Parameter key: The key or index that leads to the error.
    /// - Returns: The error with a longer ``codingPath``.
    package func inside(_ key: String) -> Self {
        var error = self
        error.codingPath.insert(key, at: 0)
        return error
    }

    /// The reason with the path of a value that could not be encoded; its keys are those of the program.
    ///
    /// The reasons of decoding name the path themselves.
    package var locatedReason: String {
        guard !self.codingPath.isEmpty, self.code != .decodingFailed else { return self.reason }
        return "\(self.reason) (at \(self.codingPath.joined(separator: ".")))"
    }
}

extension SerializationError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension SerializationError: CustomStringConvertible {
    public var description: String { "\(self.code): \(self.locatedReason)" }
}

extension SerializationError: LocalizedError {
    /// The reason, which `localizedDescription` returns too, with the path of a value that could not be encoded.
    public var errorDescription: String? { self.locatedReason }
}
