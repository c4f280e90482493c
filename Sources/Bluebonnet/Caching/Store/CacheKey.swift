// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// The key of a stored response: the URL of its request, without user information and fragment.
///
/// Scheme, host and port are normalized; path and query are compared byte by byte, as they are sent. The method is
/// always GET. If the response depends on a Unix socket, a client certificate or a Host field of the program, digests
/// of them follow after number signs.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// The URL, in visible ASCII.
    public let text: String

    /// Creates the key of a request.
    ///
    /// - Parameters:
    ///   - target: Its URL, parsed.
    ///   - mark: What the response depends on besides the URL; see ``CacheRoutes``. A target has no number sign, so
    ///     that no URL is mistaken for a mark.
    init(_ target: RequestTarget, mark: String) {
        let origin = target.origin
        // It tells hosts apart: a URL has no zone.
        let authority = origin.authority
        var text = ""
        // One allocation: an interpolation takes several.
        text.reserveCapacity(8 + authority.utf8.count + target.target.utf8.count + mark.utf8.count)
        text += origin.scheme == .https ? "https://" : "http://"
        text += authority
        text += target.target
        text += mark
        self.text = text
    }

    /// Creates a key from the text that a store has kept.
    ///
    /// - Parameter text: The ``text`` of the key.
    public init(text: String) {
        self.text = text
    }

    /// The URL.
    public var description: String { self.text }
}
