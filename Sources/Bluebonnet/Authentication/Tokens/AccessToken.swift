// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

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
        // Limited to a century, so that no calculation overflows.
        let lifetime = lifetime.map { min(max($0, .zero), .seconds(3_155_760_000)) }
        self.value = value
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.expires = lifetime.map { clock.now.advanced(by: $0) }
    }

    /// Whether the token is due for replacement.
    ///
    /// A token that does not live longer than the margin is used for half of its lifetime.
    func isExpiring(at now: SessionClock.Instant, margin: Duration) -> Bool {
        guard let expires, let lifetime else { return false }
        return now.duration(to: expires) <= min(margin, lifetime / 2)
    }
}

// The default mirror would print the token.
extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the token.
    public var description: String { "an access token" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["token": self.description]) }
}
