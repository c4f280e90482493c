// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials

/// The parts of a URL that a request needs: where to connect, what to request, and the user information.
///
/// The parts come from the URL's own bytes in one pass, so that what is checked here is what is sent.
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
        let authority = try AuthorityRanges(bytes, parts.authority)
        self.origin = Origin(
            scheme: parts.scheme,
            lowercasedHost: bytes.lowercasedText(authority.host),
            port: authority.port
        )
        // RFC 9112 section 3.2.1: anything outside visible ASCII would end the request line early or be misread.
        guard bytes.first(in: parts.target, where: { $0 <= 0x20 || $0 >= 0x7F }) == nil else {
            throw Self.invalid("the path or the query holds characters that must be percent-encoded")
        }
        let text = bytes.text(parts.target)
        // An empty path is sent as "/" (RFC 9112 section 3.2.1), a query keeps its place after it.
        let hasPath = !parts.target.isEmpty && bytes[parts.target.lowerBound] == UInt8(ascii: "/")
        self.target = hasPath ? text : "/" + text
        self.userInfo = authority.userInfo.map { bytes.text($0) }
    }

    /// Scheme, host, port and path of a URL, without anything that may be secret.
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
    /// The path and the query, without the fragment.
    var target: Range<Int>

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SessionError) {
        guard let colon = bytes.first(in: 0..<bytes.count, where: { $0 == UInt8(ascii: ":") }) else {
            throw RequestTarget.invalid("the URL has no scheme; write it with http:// or https://")
        }
        // Schemes are case-insensitive (RFC 3986 section 3.1).
        if bytes.matches("http", 0..<colon) {
            self.scheme = .http
        } else if bytes.matches("https", 0..<colon) {
            self.scheme = .https
        } else {
            throw Self.unknownScheme(bytes, colon)
        }
        let host = colon + 3
        guard host <= bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/") else {
            throw RequestTarget.invalid("the URL has no host; write two slashes after \(self.scheme.rawValue):")
        }
        let end = bytes.first(in: host..<bytes.count, where: Self.endsAuthority) ?? bytes.count
        let fragment = bytes.first(in: end..<bytes.count, where: { $0 == UInt8(ascii: "#") }) ?? bytes.count
        self.authority = host..<end
        self.target = end..<fragment
    }

    /// The error for a scheme that is none of HTTP, or for a host and a port without a scheme.
    private static func unknownScheme(_ bytes: UnsafeBufferPointer<UInt8>, _ colon: Int) -> SessionError {
        let isPort = colon + 1 < bytes.count && bytes[colon + 1].isASCIIDigit
        let advice = isPort ? "; write a host and a port with http:// or https://" : ""
        return RequestTarget.invalid("the URL's scheme is neither http nor https\(advice)")
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

/// The part between `//` and the path (RFC 3986 section 3.2).
private struct AuthorityRanges {
    var userInfo: Range<Int>?
    var host: Range<Int>
    var port: Int?

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ text: Range<Int>) throws(SessionError) {
        var rest = text
        // The last "@" is the delimiter: an earlier one belongs to the user information, not to a host.
        if let at = bytes.last(in: text, where: { $0 == UInt8(ascii: "@") }) {
            self.userInfo = text.lowerBound..<at
            rest = (at + 1)..<text.upperBound
        }
        if !rest.isEmpty, bytes[rest.lowerBound] == UInt8(ascii: "[") {
            guard let bracket = bytes.first(in: rest, where: { $0 == UInt8(ascii: "]") }) else {
                throw RequestTarget.invalid("the IPv6 address in the URL has no closing bracket")
            }
            self.host = (rest.lowerBound + 1)..<bracket
            try Self.checkIPv6(bytes, self.host)
            self.port = try Self.port(bytes, (bracket + 1)..<rest.upperBound)
        } else {
            let colon = bytes.first(in: rest, where: { $0 == UInt8(ascii: ":") }) ?? rest.upperBound
            self.host = rest.lowerBound..<colon
            try Self.checkName(bytes, self.host)
            self.port = try Self.port(bytes, colon..<rest.upperBound)
        }
    }

    private static func checkName(_ bytes: UnsafeBufferPointer<UInt8>, _ host: Range<Int>) throws(SessionError) {
        guard !host.isEmpty else { throw RequestTarget.invalid("the URL has no host") }
        // RFC 3986 section 3.2.2. A redirect must not decide how much work the domains of a name are.
        guard host.count <= 255 else { throw RequestTarget.invalid("the URL's host is longer than 255 bytes") }
        guard let place = bytes.first(in: host, where: { !Self.isOfName($0) }) else { return }
        throw RequestTarget.invalid(
            bytes[place] == UInt8(ascii: "%")
                ? "the URL's host holds a character that no host name has; write an international name in its ASCII form, xn--…"
                : "the URL's host holds a character that no host name has"
        )
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: byte.isASCIIAlphanumeric
        }
    }

    private static func checkIPv6(_ bytes: UnsafeBufferPointer<UInt8>, _ address: Range<Int>) throws(SessionError) {
        let stranger = bytes.first(in: address) { byte in
            byte.hexadecimalValue == nil && byte != UInt8(ascii: ":") && byte != UInt8(ascii: ".")
        }
        guard stranger == nil, bytes.first(in: address, where: { $0 == UInt8(ascii: ":") }) != nil else {
            throw RequestTarget.invalid("the URL holds no IPv6 address between its brackets (zones are not supported)")
        }
    }

    /// The number after a colon; an empty text and a colon by itself both mean the scheme's default port.
    private static func port(_ bytes: UnsafeBufferPointer<UInt8>, _ text: Range<Int>) throws(SessionError) -> Int? {
        guard !text.isEmpty else { return nil }
        guard bytes[text.lowerBound] == UInt8(ascii: ":") else {
            throw RequestTarget.invalid("the URL has text after its IPv6 address")
        }
        guard text.count > 1 else { return nil }
        guard let port: Int = bytes[(text.lowerBound + 1)..<text.upperBound].decimalNumber(),
            (1...65_535).contains(port)
        else { throw Self.portFault }
        return port
    }

    private static var portFault: SessionError {
        RequestTarget.invalid("the URL's port is not a number from 1 to 65535")
    }
}

/// Loops over indices: with slices and generic algorithms a call over an immediate transport took 20,500 instructions
/// instead of 19,000.
extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    fileprivate func first(in range: Range<Int>, where isWanted: (UInt8) -> Bool) -> Int? {
        var place = range.lowerBound
        while place < range.upperBound {
            if isWanted(self[place]) { return place }
            place += 1
        }
        return nil
    }

    @inline(__always)
    fileprivate func last(in range: Range<Int>, where isWanted: (UInt8) -> Bool) -> Int? {
        var place = range.upperBound
        while place > range.lowerBound {
            place -= 1
            if isWanted(self[place]) { return place }
        }
        return nil
    }

    /// Compares bytes with lower-case letters, ignoring case.
    @inline(__always)
    fileprivate func matches(_ letters: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == letters.utf8CodeUnitCount else { return false }
        var offset = 0
        // Setting this bit lowercases a capital letter, and maps no other byte to one of these letters.
        while offset < range.count {
            guard self[range.lowerBound + offset] | 0x20 == letters.utf8Start[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// The text in ASCII lower case.
    fileprivate func lowercasedText(_ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { target in
            for offset in 0..<range.count { target[offset] = self[range.lowerBound + offset].asciiLowercased }
            return range.count
        }
    }

    fileprivate func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: self[range]), as: UTF8.self)
    }
}
