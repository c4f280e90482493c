// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
public import FoundationEssentials
import HTTPTypes

extension HTTPSession {
    /// Returns the URL of a path.
    ///
    /// Text is resolved as RFC 3986 section 5 says: under `https://example.com/v1/`, `users` is `/v1/users`, `/users`
    /// is `/users`, and `?page=2` is `/v1/?page=2`. An empty path is the base URL as it was given, so that under
    /// `https://example.com/graphql` it is `/graphql`. Characters that are not allowed in a URL are percent-encoded;
    /// valid escapes are kept. A first segment with a colon is written as `./images:annotate`, because `images:` would
    /// be a scheme. For parts and URLs see ``RequestPath``.
    ///
    /// - Parameter path: The path.
    /// - Returns: The absolute URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, also if text leads to another origin than the base URL.
    public func url(for path: any RequestPath) throws(SessionError) -> URL {
        if let baseURLWithoutSlash, (path as? String)?.utf8.isEmpty == true { return baseURLWithoutSlash }
        let url = try path.resolved(against: self.baseURL)
        guard !path.mayLeaveOrigin, !self.isHome(url) else { return url }
        let reason = "the path leads to another origin than the base URL; to go there, give a URL instead of text"
        // RFC 3986 section 4.2: in a relative reference, a colon in the first segment would end a scheme.
        let isWeb = ["http", "https"].contains(url.scheme?.asciiLowercased)
        let hint = isWeb ? "" : "; a path whose first segment has a colon begins with “./”"
        throw SessionError(.invalidURL, reason: reason + hint)
    }

    /// Whether a URL has the origin of the base URL, so that it may receive what is meant for that service; true
    /// without a base URL.
    func isHome(_ url: URL) -> Bool {
        guard let baseAuthority else { return self.baseURL == nil }
        // The same bytes up to the path, which is the usual case.
        if url.absoluteString.hasAuthority(baseAuthority) { return true }
        guard let home, let origin = try? RequestTarget(url).origin else { return false }
        return home == origin
    }

    /// Scheme and authority of a URL as written; nil if it has none.
    static func authority(of url: URL) -> String? {
        let text = url.absoluteString
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = text[text.utf8.index(after: colon)...]
        guard rest.utf8.starts(with: "//".utf8) else { return nil }
        let host = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
        let end = host.utf8.firstIndex { "/?#".utf8.contains($0) } ?? host.endIndex
        return String(text[..<end])
    }

    /// Parses the text of a base URL.
    static func base(_ text: String) throws(SessionError) -> URL {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw RequestTarget.invalid("the text of the base URL holds white space or a control character")
        }
        guard let url = URL(string: URLText.escaped(text)) else {
            throw RequestTarget.invalid("the text of the base URL is not a URL")
        }
        // Anything that would make its requests fail is an error now: scheme, host, port, user information.
        _ = try RequestTarget(url)
        guard !url.absoluteString.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw RequestTarget.invalid("a base URL has no query and no fragment")
        }
        return url
    }

    /// Adds a slash to a path that does not end in one, so that relative paths do not replace its last segment.
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

extension String {
    /// Whether a URL begins with these bytes, and its authority ends there.
    ///
    /// A loop over bytes: every call of an HTTPSession uses this, and the generic algorithms take ten times as long.
    fileprivate func hasAuthority(_ authority: String) -> Bool {
        var (text, authority) = (self, authority)
        return text.withUTF8 { text in
            authority.withUTF8 { authority in
                guard text.count >= authority.count else { return false }
                for place in 0..<authority.count where text[place] != authority[place] { return false }
                guard text.count > authority.count else { return true }
                switch text[authority.count] {
                case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
                default: return false
                }
            }
        }
    }
}
