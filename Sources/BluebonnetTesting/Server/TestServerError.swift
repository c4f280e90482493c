// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a ``TestServer`` could not do, or what it found wrong with a request.
///
/// Two errors are equal when their codes are equal.
public struct TestServerError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// One sentence for people.
    public var reason: String
    /// The underlying error.
    public var underlying: (any Error)?

    init(_ code: Code, reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }
}

extension TestServerError {
    /// The kind of a ``TestServerError``: an open set.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case cannotListen, timedOut, malformedRequest, handlerFailed, unexpectedRequest, unusedResponse
            case unreadableFile, shutDown
        }

        private let kind: Kind

        /// The code's name, for example `timedOut`.
        public var description: String { self.kind.rawValue }

        /// No socket could be opened on the loopback address.
        public static let cannotListen = Self(kind: .cannotListen)
        /// The awaited event did not occur before the deadline.
        public static let timedOut = Self(kind: .timedOut)
        /// A client sent bytes that are not an HTTP/1.1 request, a request without one Host field, or one whose
        /// method is not registered.
        public static let malformedRequest = Self(kind: .malformedRequest)
        /// A handler given to ``TestServer/respond(to:with:)`` threw, or a response cannot be sent over HTTP/2: raw
        /// bytes, or a Content-Length that is not the length of the body.
        public static let handlerFailed = Self(kind: .handlerFailed)
        /// A request had no scripted response and no handler, and the server is
        /// ``TestServer/Configuration/isStrict``.
        public static let unexpectedRequest = Self(kind: .unexpectedRequest)
        /// A scripted response was left without a request, and the server is ``TestServer/Configuration/isStrict``.
        public static let unusedResponse = Self(kind: .unusedResponse)
        /// A file to be served is not a readable regular file.
        public static let unreadableFile = Self(kind: .unreadableFile)
        /// The server has been shut down.
        public static let shutDown = Self(kind: .shutDown)
    }
}

extension TestServerError: Equatable {
    /// Whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension TestServerError: CustomStringConvertible {
    public var description: String { "\(self.code): \(self.reason)" }
}

extension TestServerError: LocalizedError {
    /// The reason, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.reason }
}
