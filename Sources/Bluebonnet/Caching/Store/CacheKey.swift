// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// What a stored response is found by: the URL of its request, without user information and fragment.
///
/// Scheme, host and port are normalized; path and query are compared byte by byte, as they are sent. The method is always GET.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// The URL, in visible ASCII.
    public let text: String

    init(_ target: RequestTarget) {
        self.text = "\(target.origin)\(target.target)"
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
