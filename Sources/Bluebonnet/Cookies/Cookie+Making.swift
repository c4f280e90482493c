// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension Cookie {
    /// Creates a cookie for a jar, by the rules for servers.
    ///
    /// ```swift
    /// try jar.set(Cookie("session", "31d4d96e407aad42", domain: "example.com", isSecure: true))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name; it may be empty only if the value is not.
    ///   - value: The value.
    ///   - domain: The host or domain in ASCII; a dot before it is dropped, as are the brackets of an IPv6 address.
    ///   - isHostOnly: Whether it is sent to this one host only: true by default.
    ///   - path: The path; the cookie is sent to it and to everything below.
    ///   - expires: When it expires; nil for a session cookie.
    ///   - isSecure: Whether it is sent over https only.
    ///   - isHTTPOnly: Whether it is hidden from scripts.
    ///   - sameSite: The sites whose requests it is sent with.
    /// - Throws: ``Refusal`` if it is not valid.
    public init(
        _ name: String,
        _ value: String,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Date? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite = .unspecified
    ) throws(Refusal) {
        let host = try Self.host(Array(domain.utf8))
        let identity = Identity(name: Array(name.utf8), domain: host, isHostOnly: isHostOnly, path: path)
        self.init(
            identity,
            Array(value.utf8),
            created: .now,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite
        )
        try self.checkAsMade()
    }

    /// Checks the rules for cookies from a program and from a `cookies.txt`.
    func checkAsMade() throws(Refusal) {
        // Without a name, the text before an equals sign would become one. A server may mean that (RFC 6265bis section
        // 5.6), a program does not.
        guard !self.nameBytes.isEmpty || !self.valueBytes.contains(UInt8(ascii: "=")) else { throw .invalidCharacter }
        try self.check()
    }

    /// Checks the rules that a parser of Set-Cookie fields enforces by itself.
    func check() throws(Refusal) {
        let (name, value, path) = (self.nameBytes, self.valueBytes, Array(self.path.utf8))
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        guard !(name + value + path).contains(where: SetCookie.isControl) else { throw .controlCharacter }
        guard !(name + value + path).contains(UInt8(ascii: ";")), !name.contains(UInt8(ascii: "=")),
            name.trimmingBlanks.count == name.count, value.trimmingBlanks.count == value.count
        else { throw .invalidCharacter }
        guard path.first == UInt8(ascii: "/") else { throw .invalidPath }
        try self.checkSecurity(hasPath: true)
    }

    /// A host in the form that requests use.
    static func host(_ domain: [UInt8]) throws(Refusal) -> String {
        var host = domain[...]
        if host.first == UInt8(ascii: ".") { host.removeFirst() }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !host.contains(UInt8(ascii: ";")) else {
            throw .invalidDomain
        }
        return String(decoding: host.map(\.asciiLowercased), as: UTF8.self)
    }
}
