// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A cookie: a name and a value that a server has set, and where they are sent back to (RFC 6265bis section 5.7).
///
/// Two cookies are equal when all their fields are. The description leaves the value out, because it may be a credential.
public struct Cookie: Sendable, Hashable {
    /// On requests of which sites a cookie is sent; see ``CookieInitiator`` for what that means in a library.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Only on requests that the cookie's own site makes.
        case strict
        /// On these, and on navigations from other sites with a safe method.
        case lax
        /// On all requests; such a cookie has to be secure.
        case none
        /// The server did not say; treated as ``lax``.
        case unspecified
    }

    /// What tells one cookie of a jar from the others: there is one of each.
    struct Identity: Sendable, Hashable {
        var name: [UInt8]
        var domain: String
        var isHostOnly: Bool
        var path: String
    }

    let identity: Identity

    /// The bytes of the value as the server sent them, without white space around them.
    ///
    /// They need not be UTF-8.
    public let valueBytes: [UInt8]

    /// When the cookie was made; one that replaces another keeps its time.
    public internal(set) var created: Date

    /// When the cookie ends; nil for one that ends with the session.
    public let expires: Date?

    /// Whether the cookie is sent over https only.
    public let isSecure: Bool

    /// Whether the server wants the cookie kept from scripts.
    ///
    /// A jar sends it like any other, and shows it to the program.
    public let isHTTPOnly: Bool

    /// On requests of which sites it is sent.
    public let sameSite: SameSite

    /// The bytes of the name; empty for a cookie that has only a value.
    public var nameBytes: [UInt8] { self.identity.name }

    /// The name; bytes that are not UTF-8 are replaced by U+FFFD.
    public var name: String { String(decoding: self.identity.name, as: UTF8.self) }

    /// The value; bytes that are not UTF-8 are replaced by U+FFFD, see ``valueBytes``.
    public var value: String { String(decoding: self.valueBytes, as: UTF8.self) }

    /// The host or domain in lower case, without a dot before it.
    public var domain: String { self.identity.domain }

    /// Whether the cookie is sent to this one host only, and not to those below it.
    public var isHostOnly: Bool { self.identity.isHostOnly }

    /// The path: the cookie is sent to it and to what is below it.
    public var path: String { self.identity.path }

    init(
        _ identity: Identity,
        _ value: [UInt8],
        created: Date,
        expires: Date?,
        isSecure: Bool,
        isHTTPOnly: Bool,
        sameSite: SameSite
    ) {
        self.identity = identity
        self.valueBytes = value
        self.created = created
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    /// Whether the cookie has ended at a time.
    func isExpired(at time: Date) -> Bool { self.expires.map { $0 <= time } ?? false }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "\(self.name) for \(self.isHostOnly ? "" : "*.")\(self.domain)\(self.path)"
    }

    public var debugDescription: String { self.description }

    // The default mirror would print the value.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": self.description]) }
}
