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
    var userInfo: String?

    init(_ url: URL) throws(SessionError) {
        var text = url.absoluteString
        // One pass over the bytes, which are contiguous: text from a parser of URLs is native.
        self = try text.withUTF8 { bytes in
            Result { () throws(SessionError) in try RequestTarget(bytes) }
        }.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SessionError) {
        let parts = try Parts(bytes)
        let authority = try Authority(bytes[parts.authority])
        self.origin = Origin(
            scheme: parts.scheme,
            host: String(decoding: authority.host, as: UTF8.self),
            port: authority.port
        )
        let target = bytes[parts.target]
        // RFC 9112 section 3.2.1: anything outside visible ASCII would end the request line early or be read as something else.
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid("the path or the query holds characters that must be percent-encoded")
        }
        let text = String(decoding: target, as: UTF8.self)
        // An empty path is sent as "/" (RFC 9112 section 3.2.1), a query keeps its place after it.
        self.target = target.first == UInt8(ascii: "/") ? text : "/" + text
        self.userInfo = authority.userInfo.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Scheme, host, port and path of a URL, without what may be secret.
    static func redacted(_ url: URL) -> String {
        guard let target = try? RequestTarget(url) else { return "(unusable URL)" }
        let path = target.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return "\(target.origin)\(Substring(path))"
    }

    static func invalid(_ reason: String) -> SessionError {
        SessionError(.invalidURL, reason: reason)
    }
}

/// The three parts of an absolute URL that concern a request.
private struct Parts {
    var scheme: Origin.Scheme
    var authority: Range<Int>
    /// From the path on, without the fragment.
    var target: Range<Int>

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SessionError) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("the URL has no scheme; write it with http:// or https://")
        }
        guard let scheme = Self.scheme(bytes[..<colon]) else {
            throw RequestTarget.invalid("the URL's scheme is neither http nor https")
        }
        let host = colon + 3
        guard bytes[(colon + 1)...].starts(with: "//".utf8) else {
            throw RequestTarget.invalid("the URL has no host; write two slashes after \(scheme.rawValue):")
        }
        let end = bytes[host...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
        let fragment = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        self.scheme = scheme
        self.authority = host..<end
        self.target = end..<fragment
    }

    /// Schemes are compared without regard to case (RFC 3986 section 3.1).
    private static func scheme(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Origin.Scheme? {
        switch bytes.count {
        case 4 where Self.isEqual(bytes, "http"): .http
        case 5 where Self.isEqual(bytes, "https"): .https
        default: nil
        }
    }

    /// Compares bytes with as many small letters.
    private static func isEqual(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ letters: StaticString) -> Bool {
        // Setting this bit makes a small letter of a capital, and one of these letters of nothing else.
        bytes.indices.allSatisfy { bytes[$0] | 0x20 == letters.utf8Start[$0 - bytes.startIndex] }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

/// What stands between `//` and the path (RFC 3986 section 3.2).
private struct Authority {
    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    var userInfo: Bytes?
    var host: Bytes
    var port: Int?

    init(_ text: Bytes) throws(SessionError) {
        var rest = text
        // The last "@" counts: an earlier one belongs to the user information, and must not make it look like a host.
        if let at = text.lastIndex(of: UInt8(ascii: "@")) {
            self.userInfo = text[..<at]
            rest = text[(at + 1)...]
        }
        if rest.first == UInt8(ascii: "[") {
            guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")) else {
                throw RequestTarget.invalid("the IPv6 address in the URL has no closing bracket")
            }
            self.host = try Self.ipv6(rest[(rest.startIndex + 1)..<bracket])
            self.port = try Self.port(rest[(bracket + 1)...])
        } else {
            let colon = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            self.host = try Self.name(rest[..<colon])
            self.port = try Self.port(rest[colon...])
        }
    }

    private static func name(_ host: Bytes) throws(SessionError) -> Bytes {
        guard !host.isEmpty else { throw RequestTarget.invalid("the URL has no host") }
        for byte in host {
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

    private static func ipv6(_ address: Bytes) throws(SessionError) -> Bytes {
        let isAddress = address.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAddress, address.contains(UInt8(ascii: ":")) else {
            throw RequestTarget.invalid("the URL holds no IPv6 address between its brackets (zones are not supported)")
        }
        return address
    }

    /// The number after a colon; nothing at all and a colon by itself both mean the scheme's own port.
    private static func port(_ text: Bytes) throws(SessionError) -> Int? {
        guard let first = text.first else { return nil }
        let digits = text.dropFirst()
        guard first == UInt8(ascii: ":") else { throw RequestTarget.invalid("the URL has text after its IPv6 address") }
        guard !digits.isEmpty else { return nil }
        var port = 0
        for digit in digits {
            // Five digits are enough for the largest number; stopping there keeps the sum small.
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), port <= 65_535 else { throw Self.portFault }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
        }
        guard (1...65_535).contains(port) else { throw Self.portFault }
        return port
    }

    private static var portFault: SessionError {
        RequestTarget.invalid("the URL's port is not a number from 1 to 65535")
    }
}
