// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// What a stored response is found by: the URL of its request, without user information and fragment.
///
/// Scheme, host and port are normalized; path and query are compared byte by byte, as they are sent. The method is always GET. Where a Unix
/// socket or a client certificate decides who answers, and to whom, digests of them follow behind number signs.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// The URL, in visible ASCII.
    public let text: String

    /// Creates the key of a request.
    ///
    /// - Parameters:
    ///   - target: Its URL, parsed.
    ///   - mark: What decides besides the URL who answers it; see ``CacheRoutes``. A target has no number sign, so that no URL is taken for it.
    init(_ target: RequestTarget, mark: String) {
        self.text = "\(target.origin)\(target.target)\(mark)"
    }

    /// A key that a store has kept.
    ///
    /// - Parameter text: The ``text`` of the key.
    public init(text: String) {
        self.text = text
    }

    /// The URL.
    public var description: String { self.text }
}
