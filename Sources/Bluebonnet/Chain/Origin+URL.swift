// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import FoundationEssentials

extension Origin {
    /// Creates the origin that a request for a URL is sent to.
    ///
    /// User information, path, query and fragment of the URL have no effect.
    ///
    /// ```swift
    /// configuration.authentication = try .bearer(token, for: Origin(url))
    /// ```
    ///
    /// - Parameter url: An absolute http or https URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL`` if a request for the URL would be refused.
    public init(_ url: URL) throws(SessionError) {
        self = try RequestTarget(url).origin
    }
}
