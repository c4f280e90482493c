// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

extension Proxy {
    /// Parses a proxy URL, for example `http://ada:secret@proxy.example:3128`.
    ///
    /// The default scheme is `http`; the default port is the scheme's (80, 443 or 1080). User name and password are
    /// percent-decoded. A path other than `/`, a query and a fragment are refused, because they have no meaning for a
    /// proxy.
    ///
    /// - Parameter text: The URL; spaces around it are ignored.
    /// - Throws: ``TransportError/Code/invalidProxy``; its reason says what is wrong and never contains the
    ///   credentials.
    public init(_ text: String) throws(TransportError) {
        let text = text.trimmingSpaces()
        guard !text.isEmpty else { throw .invalidProxy("the proxy's URL is empty") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalidProxy("the proxy's URL holds spaces, control characters or bytes outside ASCII")
        }
        let (scheme, rest) = try Self.scheme(of: text)
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard rest[end...].isEmpty || rest[end...].utf8.elementsEqual("/".utf8) else {
            throw .invalidProxy("the proxy's URL has a path, a query or a fragment; write scheme, host and port only")
        }
        var authority = rest[..<end]
        var username: String?
        var password: String?
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            let pair = authority[..<at]
            let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
            username = try Self.decoded(pair[..<(colon ?? pair.endIndex)])
            if let colon { password = try Self.decoded(pair[pair.utf8.index(after: colon)...]) }
            authority = authority[authority.utf8.index(after: at)...]
        }
        let (host, port) = try Self.hostAndPort(authority)
        self.init(scheme: scheme, host: host, port: port, username: username, password: password)
        try self.validate()
    }

    private static func scheme(of text: Substring) throws(TransportError) -> (Scheme, Substring) {
        guard let mark = text.utf8.firstRange(of: "://".utf8) else { return (.http, text) }
        let name = text[..<mark.lowerBound].asciiLowercased
        guard let scheme = Scheme(rawValue: name) else {
            let known = Scheme.allCases.map(\.rawValue).joined(separator: ", ")
            // The text before “://” may be part of a password: it is quoted only if it looks like a scheme.
            let isScheme = name.utf8.allSatisfy(\.isASCIIAlphanumeric)
            let shown = isScheme && name.utf8.count <= 8 ? "“\(name)”" : "what stands before “://” in the proxy's URL"
            throw .invalidProxy("\(shown) is not a kind of proxy; use one of \(known)")
        }
        return (scheme, text[mark.upperBound...])
    }

    private static func hostAndPort(_ authority: Substring) throws(TransportError) -> (host: String, port: Int?) {
        var host = authority
        var port: Substring?
        if authority.utf8.first == UInt8(ascii: "[") {
            guard let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw .invalidProxy("the proxy's URL lacks the “]” after an IPv6 address")
            }
            host = authority[...end]
            let after = authority[authority.utf8.index(after: end)...]
            guard after.isEmpty || after.utf8.first == UInt8(ascii: ":") else {
                throw .invalidProxy("the proxy's URL has text between the “]” of an IPv6 address and the port")
            }
            guard IPAddress.isIPv6(text: host.dropFirst().dropLast()) else {
                throw .invalidProxy("what stands in brackets in the proxy's URL is not an IPv6 address")
            }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            port = authority[authority.utf8.index(after: colon)...]
            guard port?.utf8.contains(UInt8(ascii: ":")) == false else {
                throw .invalidProxy("the proxy's URL has more than one colon; write an IPv6 address in brackets")
            }
        }
        guard let port, !port.isEmpty else { return (String(host), nil) }
        guard let number: Int = port.utf8.decimalNumber() else {
            throw .invalidProxy("the port in the proxy's URL is not a number")
        }
        return (String(host), number)
    }

    private static func decoded(_ text: Substring) throws(TransportError) -> String {
        guard let plain = try? PercentDecoding.decode(text) else {
            throw .invalidProxy("the credentials in the proxy's URL are not percent-encoded UTF-8")
        }
        return plain
    }

    /// Refuses values that the protocols cannot represent.
    package func validate() throws(TransportError) {
        guard !self.host.isEmpty else { throw .invalidProxy("the proxy has no host") }
        guard self.host.utf8.allSatisfy(Self.isAllowedInHost), self.host.utf8.count <= 255 else {
            throw .invalidProxy("the proxy's host holds bytes that are not allowed in a host")
        }
        guard (1...65535).contains(self.port) else {
            throw .invalidProxy("the proxy's port is not between 1 and 65535")
        }
        if self.speaksHTTP {
            try self.validateForHTTP()
        } else if self.username != nil || self.password != nil {
            // RFC 1929 section 2: each length is one byte.
            guard let username, (1...255).contains(username.utf8.count), self.password?.utf8.count ?? 0 <= 255 else {
                throw .invalidProxy("a SOCKS proxy takes a user name of 1 to 255 bytes and a password of up to 255")
            }
        }
    }

    private func validateForHTTP() throws(TransportError) {
        // RFC 7617 section 2: the first colon ends the user name, and control characters are not allowed.
        guard self.username?.utf8.contains(UInt8(ascii: ":")) != true else {
            throw .invalidProxy("a user name with a colon cannot be sent to an HTTP proxy")
        }
        for text in [self.username, self.password] {
            guard text?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) != true else {
                throw .invalidProxy("the credentials for the proxy hold control characters")
            }
        }
        for field in self.headers {
            let isSafe = field.withUnsafeBytesOfValue { $0.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }
            guard isSafe else { throw .invalidProxy("a field for the proxy holds CR, LF or NUL") }
            guard ![.contentLength, .transferEncoding, .connection].contains(field.name),
                field.name.canonicalName != "host"
            else { throw .invalidProxy("the field \(field.name) for the proxy is the transport's own") }
        }
    }

    private static func isAllowedInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~:%".utf8.contains(byte)
        }
    }
}

extension TransportError {
    /// The proxy is invalid.
    static func invalidProxy(_ reason: String) -> TransportError {
        TransportError(.invalidProxy, phase: .connect, reason: reason)
    }
}

extension String {
    /// Returns the text without spaces, tabs and line breaks at both ends.
    func trimmingSpaces() -> Substring {
        var text = self[...]
        while let first = text.utf8.first, first == 0x20 || (0x09...0x0D).contains(first) { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || (0x09...0x0D).contains(last) { text.removeLast() }
        return text
    }
}

extension IPAddress {
    /// Whether a text is an IPv6 address, without brackets.
    ///
    /// An IPv4-mapped address is one (RFC 4291 section 2.5.5.2), although it is parsed to the IPv4 address.
    static func isIPv6(text: some StringProtocol) -> Bool {
        text.utf8.contains(UInt8(ascii: ":")) && IPAddress(text) != nil
    }
}
