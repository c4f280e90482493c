// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// The part of an origin that one credential is for (RFC 9110 section 11.5).
///
/// Two spaces are equal only if scheme, host, port and realm are equal. A credential of one is never sent to another.
public struct ProtectionSpace: Hashable, Sendable, CustomStringConvertible {
    /// Scheme, host and port.
    public let origin: Origin

    /// The realm, as the server writes it; empty if it names none.
    public let realm: String

    /// Creates a space.
    ///
    /// - Parameters:
    ///   - origin: Scheme, host and port.
    ///   - realm: The realm.
    public init(origin: Origin, realm: String) {
        self.origin = origin
        self.realm = realm
    }

    /// Origin and realm.
    public var description: String { "\(self.origin) (\(self.realm))" }

    // Compared by bytes: String's equality treats canonically equivalent texts as equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.origin == right.origin && left.realm.utf8.elementsEqual(right.realm.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.origin)
        for byte in self.realm.utf8 { hasher.combine(byte) }
    }
}
