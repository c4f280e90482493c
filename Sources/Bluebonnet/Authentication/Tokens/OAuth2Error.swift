// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes

/// The reason why there is no token: an error of RFC 6749 section 5.2, or one of this library.
///
/// It is in ``SessionError/underlying`` of the calls that waited. Two errors are equal when their codes are equal.
public struct OAuth2Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure: an open set.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name; for a code of the RFC, the value of `error`.
        public let description: String

        /// Creates a code.
        ///
        /// - Parameter name: The value of `error`; all but printable ASCII, and all beyond 64 bytes, is dropped.
        public init(_ name: String) {
            let bytes = name.utf8.lazy.filter { $0 >= 0x20 && $0 < 0x7F }.prefix(64)
            self.description = String(decoding: Array(bytes), as: UTF8.self)
        }

        /// The request is malformed.
        public static let invalidRequest = Code("invalid_request")
        /// The client is not known, or did not prove its identity.
        public static let invalidClient = Code("invalid_client")
        /// The refresh token is invalid, has expired, was revoked, or belongs to another client.
        public static let invalidGrant = Code("invalid_grant")
        /// The client may not use this grant.
        public static let unauthorizedClient = Code("unauthorized_client")
        /// The server does not know this grant.
        public static let unsupportedGrantType = Code("unsupported_grant_type")
        /// The scope is invalid, unknown, or more than was granted.
        public static let invalidScope = Code("invalid_scope")
        /// There is no refresh token.
        public static let noRefreshToken = Code("(no refresh token)")
        /// The response does not conform to RFC 6749.
        public static let invalidResponse = Code("(invalid response)")
        /// The token type is not supported.
        public static let unsupportedTokenType = Code("(unsupported token type)")
        /// The token endpoint is not reached over TLS; nothing was sent.
        public static let insecureEndpoint = Code("(insecure endpoint)")
    }

    /// The kind of failure.
    public let code: Code

    /// A description from the server or from this library; a server may send any text.
    public let reason: String

    /// The status of the response; nil if there was none.
    public let status: HTTPResponse.Status?

    init(_ code: Code, reason: String, status: HTTPResponse.Status? = nil) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    /// Whether both have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The code.
    public var description: String { "OAuth 2 error \(self.code)" }
}

extension OAuth2Error: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
