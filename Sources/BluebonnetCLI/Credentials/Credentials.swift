// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials

/// The credentials of a request.
enum Credentials: Equatable {
    /// Basic credentials, sent with the request (RFC 7617).
    case basic(user: String, password: String)
    /// Digest credentials, sent after a challenge (RFC 7616); the password itself is never sent.
    case digest(user: String, password: String)
    /// A bearer token, sent with the request (RFC 6750).
    case bearer(token: String)

    /// The value of the Authorization field; nil for credentials that answer a challenge.
    var fieldValue: String? {
        switch self {
        case .basic(let user, let password): "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .digest: nil
        case .bearer(let token): "Bearer \(token)"
        }
    }

    /// The policy that answers challenges; nil for credentials that are sent at once.
    var policy: AuthenticationPolicy? {
        if case .digest(let user, let password) = self { .digest(user, password) } else { nil }
    }

    /// Parses credentials as they are typed.
    ///
    /// - Parameters:
    ///   - text: `user:password` or a token.
    ///   - scheme: The authentication scheme.
    ///   - ask: Asks for the password of a user if the text has none; nil if there is no terminal.
    /// - Throws: `CommandFailure` if the credentials cannot be sent.
    init(
        _ text: String,
        _ scheme: AuthenticationType,
        ask: (_ user: String) throws(CommandFailure) -> String
    ) throws(CommandFailure) {
        guard scheme != .bearer else {
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .usage("a bearer token is visible ASCII without spaces")
            }
            self = .bearer(token: text)
            return
        }
        if let (user, password) = text.split(atScalar: ":") {
            try self.init(user: String(user), password: String(password), scheme)
        } else {
            try self.init(user: text, password: try ask(text), scheme)
        }
    }

    /// Creates credentials from a user name and a password.
    ///
    /// - Throws: `CommandFailure` if the credentials cannot be sent.
    init(user: String, password: String, _ scheme: AuthenticationType) throws(CommandFailure) {
        guard (user + password).unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .usage("user name and password may not hold control characters")
        }
        guard scheme != .digest else {
            self = .digest(user: user, password: password)
            return
        }
        guard !user.contains(scalar: ":") else {
            throw .usage("a user name with a colon cannot be sent with basic authentication")
        }
        self = .basic(user: user, password: password)
    }
}
