// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials

/// A URL taken apart for the wire: where to connect, what to ask for, and who asks.
///
/// The parts come from the URL's own bytes in one pass, so that what is checked here is what is sent: no second parser sees it.
struct RequestTarget {
    /// Scheme, host and port.
    var origin: Origin

    /// Path and query, percent-encoded; never empty.
    var target: String

    /// User name and password as they are written in the URL.
    var userInfo: Substring?

    init(_ url: URL) throws(SessionError) {
        let text = url.absoluteString
        let parts = try Parts(text)
        let authority = try Authority(parts.authority)
        self.origin = Origin(scheme: parts.scheme, host: String(authority.host), port: authority.port)
        self.target = Self.target(parts.target)
        self.userInfo = authority.userInfo
        // RFC 9112 section 3.2.1: anything outside visible ASCII would end the request line early or be read as something else.
        guard self.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw Self.invalid("the path or the query holds characters that must be percent-encoded")
        }
    }

    /// Scheme, host, port and path of a URL, without what may be secret.
    static func redacted(_ url: URL) -> String {
        guard let target = try? RequestTarget(url) else { return "(unusable URL)" }
        let path = target.target.prefix { $0 != "?" }
        return "\(target.origin)\(path)"
    }

    static func invalid(_ reason: String) -> SessionError {
        SessionError(.invalidURL, reason: reason)
    }

    private static func target(_ text: Substring) -> String {
        switch text.utf8.first {
        case UInt8(ascii: "/"): String(text)
        // An empty path is sent as "/" (RFC 9112 section 3.2.1), a query keeps its place after it.
        default: "/" + text
        }
    }
}

/// The three parts of an absolute URL that concern a request.
private struct Parts {
    var scheme: Origin.Scheme
    var authority: Substring
    /// From the path on, without the fragment.
    var target: Substring

    init(_ text: String) throws(SessionError) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("the URL has no scheme; write it with http:// or https://")
        }
        guard let scheme = Origin.Scheme(rawValue: text[..<colon].lowercased()) else {
            throw RequestTarget.invalid("the URL's scheme is neither http nor https")
        }
        let rest = text[bytes.index(after: colon)...]
        guard rest.utf8.starts(with: "//".utf8) else {
            throw RequestTarget.invalid("the URL has no host; write two slashes after \(scheme.rawValue):")
        }
        let afterSlashes = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
        let end = afterSlashes.utf8.firstIndex(where: Self.endsAuthority) ?? afterSlashes.endIndex
        let fragment = afterSlashes[end...].utf8.firstIndex(of: UInt8(ascii: "#")) ?? afterSlashes.endIndex
        self.scheme = scheme
        self.authority = afterSlashes[..<end]
        self.target = afterSlashes[end..<fragment]
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

/// What stands between `//` and the path (RFC 3986 section 3.2).
private struct Authority {
    var userInfo: Substring?
    var host: Substring
    var port: Int?

    init(_ text: Substring) throws(SessionError) {
        var rest = text
        // The last "@" counts: an earlier one belongs to the user information, and must not make it look like a host.
        if let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
            self.userInfo = text[..<at]
            rest = text[text.utf8.index(after: at)...]
        }
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let bracket = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw RequestTarget.invalid("the IPv6 address in the URL has no closing bracket")
            }
            let afterBracket = rest.utf8.index(after: bracket)
            self.host = try Self.ipv6(rest[rest.utf8.index(after: rest.startIndex)..<bracket])
            self.port = try Self.port(rest[afterBracket...])
        } else {
            let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            self.host = try Self.name(rest[..<colon])
            self.port = try Self.port(rest[colon...])
        }
    }

    private static func name(_ host: Substring) throws(SessionError) -> Substring {
        guard !host.isEmpty else { throw RequestTarget.invalid("the URL has no host") }
        for byte in host.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                continue
            case UInt8(ascii: "%"):
                throw RequestTarget.invalid(
                    "the URL's host holds characters outside ASCII; write an international name in its ASCII form, xn--…"
                )
            default:
                throw RequestTarget.invalid("the URL's host holds a character that no host name has")
            }
        }
        return host
    }

    private static func ipv6(_ address: Substring) throws(SessionError) -> Substring {
        let isAddress = address.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAddress, address.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("the URL holds no IPv6 address between its brackets (zones are not supported)")
        }
        return address
    }

    /// The number after a colon; nothing at all and a colon by itself both mean the scheme's own port.
    private static func port(_ text: Substring) throws(SessionError) -> Int? {
        guard let first = text.utf8.first else { return nil }
        let digits = text.utf8.dropFirst()
        guard first == UInt8(ascii: ":") else { throw RequestTarget.invalid("the URL has text after its IPv6 address") }
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(Substring(digits)), port > 0
        else {
            throw RequestTarget.invalid("the URL's port is not a number from 1 to 65535")
        }
        return Int(port)
    }
}
