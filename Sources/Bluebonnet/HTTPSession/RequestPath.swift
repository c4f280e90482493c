// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import FoundationEssentials

/// What names the resource of a call: text, the parts of a path, a URL, or a type of your own.
///
/// - `"users/1?full=1"`: a reference that is resolved against the base URL (RFC 3986 section 5). It may not lead to another origin.
/// - `["users", name]`: segments, each percent-encoded as one, so that no name can add a segment, a query or a host.
/// - a `URL`: an absolute one is taken as it is, whatever its origin.
///
/// ``resolved(against:)`` is called once per call, on the caller's executor.
public protocol RequestPath: Sendable {
    /// The absolute URL of the resource.
    ///
    /// - Parameter base: The base URL, whose path ends in a slash unless it is empty; nil if there is none.
    /// - Returns: The URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``.
    func resolved(against base: URL?) throws(SessionError) -> URL

    /// Whether the URL may have another origin than the base URL: false unless implemented.
    var mayLeaveOrigin: Bool { get }
}

extension RequestPath {
    public var mayLeaveOrigin: Bool { false }
}

extension String: RequestPath {
    public func resolved(against base: URL?) throws(SessionError) -> URL {
        // A line break in a path is a mistake, and possibly an attack; it is not encoded silently.
        guard self.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw RequestTarget.invalid("the path holds a control character")
        }
        guard !self.utf8.isEmpty else {
            guard let base else { throw RequestTarget.invalid("the path is empty and there is no base URL") }
            return base
        }
        guard let url = self.joined(to: base) ?? URL(string: self, relativeTo: base)?.absoluteURL else {
            throw RequestTarget.invalid("the path cannot be read as a URL")
        }
        return url
    }

    /// The URL of plain segments below a base; nil for every other text, and for a base that the last segment leaves.
    ///
    /// RFC 3986 section 5.2.3 then joins the two, and nothing is left to remove. It is the usual case, at a third of the cost.
    private func joined(to base: URL?) -> URL? {
        guard let base = base?.absoluteString, !base.utf8.contains(where: Self.endsPath), !Self.hasDotSegment(base),
            Self.isPlain(self)
        else { return nil }
        if base.utf8.last == UInt8(ascii: "/") { return URL(string: base + self) }
        // A base with a host and without a path: the first two slashes are those before the host.
        guard base.utf8.lazy.filter({ $0 == UInt8(ascii: "/") }).count == 2 else { return nil }
        return URL(string: "\(base)/\(self)")
    }

    /// Whether text is a path, with a query or without, in which no byte has a meaning of its own but `/`, `?`, `=` and `&`.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?") else { return false }
        return !Self.hasDotSegment(text) && first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"):
                    true
                default: false
                }
            }
    }

    /// Whether a segment begins with a dot, as `.` and `..` do.
    private static func hasDotSegment(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
            previous = byte
        }
        return false
    }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}

extension URL: RequestPath {
    public func resolved(against base: URL?) throws(SessionError) -> URL {
        let absolute = self.absoluteURL
        guard absolute.scheme == nil else { return absolute }
        return try absolute.relativeString.resolved(against: base)
    }

    public var mayLeaveOrigin: Bool { true }
}

extension Array: RequestPath where Element == String {
    /// The URL with each element as one segment behind the path of the base URL.
    ///
    /// Every byte that is not unreserved (RFC 3986 section 2.3) is percent-encoded, slashes included. `.` and `..` are refused: they would be
    /// removed from the path by clients and servers, even percent-encoded.
    public func resolved(against base: URL?) throws(SessionError) -> URL {
        guard let base else { throw RequestTarget.invalid("the path has parts and there is no base URL") }
        for part in self where part.utf8.elementsEqual(".".utf8) || part.utf8.elementsEqual("..".utf8) {
            throw RequestTarget.invalid("a part of the path is '\(part)', which no path can hold as a name")
        }
        let text = base.absoluteString
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let path = self.map { PercentEncoding.escape($0, allowed: .unreserved) }.joined(separator: "/")
        let slash = text[..<end].utf8.last == UInt8(ascii: "/") ? "" : "/"
        guard let url = URL(string: "\(text[..<end])\(slash)\(path)") else {
            throw RequestTarget.invalid("the path cannot be read as a URL")
        }
        return url
    }
}
