// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension HTTPSession {
    /// The URL of a path.
    ///
    /// The path is resolved as RFC 3986 section 5 says: under `https://example.com/v1/`, `users` is `/v1/users`, `/users` is `/users`,
    /// `?page=2` is `/v1/?page=2`, an absolute URL replaces everything. An empty path is the base URL itself. What may not stand in
    /// a URL is percent-encoded.
    ///
    /// - Parameter path: The path, or an absolute URL.
    /// - Returns: The absolute URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``.
    public func url(for path: String) throws(SessionError) -> URL {
        // A line break in a path is a mistake, and possibly somebody's attempt; it is not encoded in silence.
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw RequestTarget.invalid("the path holds a control character")
        }
        guard !path.isEmpty else {
            guard let baseURL else { throw RequestTarget.invalid("the path is empty and there is no base URL") }
            return baseURL
        }
        guard let url = URL(string: path, relativeTo: self.baseURL)?.absoluteURL else {
            throw RequestTarget.invalid("the path cannot be read as a URL")
        }
        return url
    }

    /// Adds a slash to a path that has none at its end, so that the last segment stays when a path is resolved against it.
    static func withSlash(_ url: URL) -> URL {
        let text = url.absoluteString
        // In an absolute URL the first three slashes are the two before the host and the one that begins the path.
        let slashes = text.utf8.indices.lazy.filter { text.utf8[$0] == UInt8(ascii: "/") }
        guard let path = slashes.dropFirst(2).first else { return url }
        // A slash after "?" or "#" belongs to a query or a fragment.
        let end = text.utf8.firstIndex { "?#".utf8.contains($0) } ?? text.endIndex
        guard path < end, text.utf8[text.utf8.index(before: end)] != UInt8(ascii: "/") else { return url }
        return URL(string: "\(text[..<end])/\(text[end...])") ?? url
    }
}
