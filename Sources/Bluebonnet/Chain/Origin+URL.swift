// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
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

    /// Creates the origin of a URL in text form: `try Origin("https://api.example.com")`.
    ///
    /// User information, path, query and fragment of the URL have no effect.
    ///
    /// - Parameter text: An absolute http or https URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL`` if the text is not a URL, or a request for it would
    ///   be refused.
    public init(_ text: String) throws(SessionError) {
        guard let url = URL(string: URLText.escaped(text)) else {
            throw RequestTarget.invalid("the text of the origin is not a URL")
        }
        try self.init(url)
    }
}
