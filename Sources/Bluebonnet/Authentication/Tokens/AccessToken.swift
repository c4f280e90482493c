// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An access token, and what is known about it.
///
/// Its description contains neither the token nor the refresh token.
public struct AccessToken: Hashable, Sendable {
    /// The token as it is sent.
    public let value: String

    /// The refresh token (RFC 6749 section 1.5); nil if there is none.
    public let refreshToken: String?

    /// When it expires; nil if that is not known.
    public let expires: SessionClock.Instant?

    /// The lifetime that the token was created with.
    let lifetime: Duration?

    /// When it expires by the time of day, which another process can read; nil if that is not known.
    private let expirationDate: Date?

    /// A century, so that no calculation overflows.
    private static let longestLifetime = Duration.seconds(3_155_760_000)

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - lifetime: How long it is valid from now on; nil if that is not known.
    ///   - refreshToken: The refresh token.
    ///   - clock: The clock that measures the lifetime; the system's by default.
    public init(
        _ value: String,
        lifetime: Duration? = nil,
        refreshToken: String? = nil,
        clock: SessionClock = .system
    ) {
        let lifetime = lifetime.map { min(max($0, .zero), Self.longestLifetime) }
        self.value = value
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.expires = lifetime.map { clock.now.advanced(by: $0) }
        self.expirationDate = lifetime.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
    }

    /// Whether the token is due for replacement.
    ///
    /// A token that does not live longer than the margin is used for half of its lifetime.
    func isExpiring(at now: SessionClock.Instant, margin: Duration) -> Bool {
        guard let expires, let lifetime else { return false }
        return now.duration(to: expires) <= min(margin, lifetime / 2)
    }
}

/// Stores a token, with its expiry as a date, and restores it, in another process for example.
///
/// The encoded form contains the token and the refresh token, so that only their owner may read it. A token that has
/// expired is restored as one that is due for replacement.
extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, refreshToken
        case expirationDate = "expires"
    }

    /// Encodes the token.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.value, forKey: .value)
        try container.encodeIfPresent(self.refreshToken, forKey: .refreshToken)
        try container.encodeIfPresent(self.expirationDate, forKey: .expirationDate)
    }

    /// Restores a token; what is left of its lifetime is measured by the system's clock.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if it has no such token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let date = try container.decodeIfPresent(Date.self, forKey: .expirationDate)
        // Limited before the conversion, so that no date of the document is too large for it.
        let seconds = date.map { min(max($0.timeIntervalSinceNow, 0), Self.longestLifetime / .seconds(1)) }
        self.init(
            try container.decode(String.self, forKey: .value),
            lifetime: seconds.map { .seconds($0) },
            refreshToken: try container.decodeIfPresent(String.self, forKey: .refreshToken)
        )
    }
}

// The default mirror would print the token.
extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the token.
    public var description: String { "an access token" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["token": self.description]) }
}
