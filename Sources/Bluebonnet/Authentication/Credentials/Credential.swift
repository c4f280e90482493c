// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A user name with a password, or a token, that authenticates the client.
///
/// Its description contains none of them.
public struct Credential: Hashable, Sendable {
    enum Kind: Sendable {
        case password(user: String, password: String)
        case bearer(String)
    }

    let kind: Kind

    /// A user name with a password, for Basic and Digest.
    ///
    /// - Parameters:
    ///   - user: The user name; sent as UTF-8, and with Basic it may not hold a colon.
    ///   - password: The password; sent as UTF-8.
    /// - Returns: The credential.
    public static func password(_ user: String, _ password: String) -> Credential {
        Credential(kind: .password(user: user, password: password))
    }

    /// A token, for Bearer (RFC 6750).
    ///
    /// - Parameter token: The token.
    /// - Returns: The credential.
    public static func bearer(_ token: String) -> Credential { Credential(kind: .bearer(token)) }
}

// Compared by bytes: canonically equivalent texts are different passwords.
extension Credential.Kind: Hashable {
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.password(let user, let password), .password(let otherUser, let otherPassword)):
            user.utf8.elementsEqual(otherUser.utf8) && password.utf8.elementsEqual(otherPassword.utf8)
        case (.bearer(let token), .bearer(let other)): token.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .password(let user, let password):
            hasher.combine(Array(user.utf8))
            hasher.combine(Array(password.utf8))
        case .bearer(let token): hasher.combine(Array(token.utf8))
        }
    }
}

// The default mirror would print the password.
extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential.
    public var description: String {
        switch self.kind {
        case .password: "a user name and a password"
        case .bearer: "a token"
        }
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["credential": self.description]) }
}
