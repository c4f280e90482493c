// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A token that is sent with requests, and what is known about it.
///
/// Its description holds neither of its texts.
public struct AccessToken: Hashable, Sendable {
    /// The token as it is sent.
    public let value: String

    /// What a new one is asked for with (RFC 6749 section 1.5); nil if there is nothing.
    public let refreshToken: String?

    /// When it expires; nil if that is not known.
    public let expires: SessionClock.Instant?

    /// How long it was valid when it was made.
    let lifetime: Duration?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - lifetime: How long it is valid from now on; nil if that is not known.
    ///   - refreshToken: What a new one is asked for with.
    ///   - clock: The clock of the lifetime: the system's unless given.
    public init(
        _ value: String,
        lifetime: Duration? = nil,
        refreshToken: String? = nil,
        clock: SessionClock = .system
    ) {
        // A lifetime beyond a century would overflow somewhere.
        let lifetime = lifetime.map { min(max($0, .zero), .seconds(3_155_760_000)) }
        self.value = value
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.expires = lifetime.map { clock.now.advanced(by: $0) }
    }

    /// Whether it is time for another one.
    ///
    /// A token that does not live longer than the margin is used for half of its life.
    func isExpiring(at now: SessionClock.Instant, margin: Duration) -> Bool {
        guard let expires, let lifetime else { return false }
        return now.duration(to: expires) <= min(margin, lifetime / 2)
    }
}

// The default mirror would print the token.
extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is.
    public var description: String { "an access token" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["token": self.description]) }
}
