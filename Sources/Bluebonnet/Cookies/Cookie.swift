// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A cookie: a name and a value that a server has set, and the hosts and paths it is sent to (RFC 6265bis section 5.7).
///
/// Two cookies are equal when all their fields are. The description leaves the value out, because it may be a credential.
public struct Cookie: Sendable, Hashable {
    /// The sites whose requests a cookie is sent with; see ``CookieInitiator`` for what that means in a library.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Only on requests that the cookie's own site makes.
        case strict
        /// Also on navigations from other sites with a safe method.
        case lax
        /// On all requests; such a cookie must be secure.
        case none
        /// The server did not specify it; treated as ``lax``.
        case unspecified
    }

    /// Identifies a cookie within a jar.
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

    /// The creation time; a cookie that replaces another keeps its time.
    public internal(set) var created: Date

    /// When the cookie expires; nil for a session cookie.
    public let expires: Date?

    /// Whether the cookie is sent over https only.
    public let isSecure: Bool

    /// Whether the server wants the cookie hidden from scripts.
    ///
    /// A jar sends it like any other, and shows it to the program.
    public let isHTTPOnly: Bool

    /// The sites whose requests it is sent with.
    public let sameSite: SameSite

    /// The bytes of the name; empty for a cookie that has only a value.
    public var nameBytes: [UInt8] { self.identity.name }

    /// The name; bytes that are not UTF-8 are replaced by U+FFFD.
    public var name: String { String(decoding: self.identity.name, as: UTF8.self) }

    /// The value; bytes that are not UTF-8 are replaced by U+FFFD, see ``valueBytes``.
    public var value: String { String(decoding: self.valueBytes, as: UTF8.self) }

    /// The host or domain in lower case, without a dot before it.
    public var domain: String { self.identity.domain }

    /// Whether the cookie is sent to this one host only, and not to its subdomains.
    public var isHostOnly: Bool { self.identity.isHostOnly }

    /// The path: the cookie is sent to it and to everything below.
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

    /// Whether the cookie has expired at a time.
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
