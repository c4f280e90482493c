// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
public import FoundationEssentials

/// The path of a call's resource: text, the parts of a path, a URL, or a type of your own.
///
/// - `"users/1?full=1"`: a reference that is resolved against the base URL (RFC 3986 section 5). It may not lead to
///   another origin. Valid escapes in it are kept.
/// - `["users", name]`: segments, each percent-encoded, so that no name can add a segment, a query or a host; none
///   may be empty.
/// - a `URL`: an absolute one is used unchanged, whatever its origin.
///
/// ``resolved(against:)`` is called once per call, on the caller's executor.
public protocol RequestPath: Sendable {
    /// Returns the absolute URL of the resource.
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
        guard let url = self.joined(to: base) ?? URL(string: URLText.escaped(self), relativeTo: base)?.absoluteURL
        else {
            throw RequestTarget.invalid("the path cannot be read as a URL")
        }
        return url
    }

    /// The URL of plain segments below a base; nil for other text, and for a base whose last segment would be replaced.
    ///
    /// RFC 3986 section 5.2.3 then joins the two, and there are no dot segments to remove. It is the usual case, at a
    /// third of the cost.
    private func joined(to base: URL?) -> URL? {
        guard var base = base?.absoluteString, let isComplete = base.withUTF8(Self.endsInSlash) else { return nil }
        var path = self
        guard path.withUTF8(Self.isPlain) else { return nil }
        return URL(string: isComplete ? base + path : "\(base)/\(path)")
    }

    /// Whether a base ends in a slash; nil if it does not and has a path, or if it has a query, a fragment or a dot segment.
    private static func endsInSlash(_ base: UnsafeBufferPointer<UInt8>) -> Bool? {
        var (slashCount, previous) = (0, UInt8(0))
        for byte in base {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
            case UInt8(ascii: ".") where previous == UInt8(ascii: "/"): return nil
            case UInt8(ascii: "/"): slashCount += 1
            default: break
            }
            previous = byte
        }
        if previous == UInt8(ascii: "/") { return true }
        // A base with a host and without a path: the only two slashes are those before the host.
        return slashCount == 2 ? false : nil
    }

    /// Whether text is a path, with or without a query, in which only `/`, `?`, `=` and `&` are reserved bytes.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?") else { return false }
        var previous = UInt8(ascii: "/")
        for byte in text {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"):
                break
            // A segment that begins with a dot may be `.` or `..`.
            case UInt8(ascii: ".") where previous != UInt8(ascii: "/"): break
            default: return false
            }
            previous = byte
        }
        return true
    }
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
    /// Returns the URL with each element as one segment after the path of the base URL.
    ///
    /// Every byte that is not unreserved (RFC 3986 section 2.3) is percent-encoded, including slashes. `.` and `..` are
    /// refused: clients and servers would remove them from the path, even percent-encoded. So is an empty element, with
    /// which `["users", name]` would be all users; a slash at the end is written in a text.
    public func resolved(against base: URL?) throws(SessionError) -> URL {
        guard let base else { throw RequestTarget.invalid("the path has parts and there is no base URL") }
        for part in self where part.utf8.elementsEqual(".".utf8) || part.utf8.elementsEqual("..".utf8) {
            throw RequestTarget.invalid("a part of the path is “\(part)”, which no path can hold as a name")
        }
        guard !self.contains(where: \.utf8.isEmpty) else {
            throw RequestTarget.invalid(
                "a part of the path is empty; for a slash at its end, write the path as one text"
            )
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
