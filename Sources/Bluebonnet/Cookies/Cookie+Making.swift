// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension Cookie {
    /// Creates a cookie for a jar; what a server could not set, a program cannot either.
    ///
    /// ```swift
    /// try jar.set(Cookie("session", "31d4d96e407aad42", domain: "example.com", isSecure: true))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name; not empty, unless the value is not.
    ///   - value: The value.
    ///   - domain: The host or domain in ASCII; a dot before it is dropped, as are the brackets of an IPv6 address.
    ///   - isHostOnly: Whether it is sent to this one host only: yes unless given.
    ///   - path: The path that it is sent to, with what is below.
    ///   - expires: When it ends; nil for one that ends with the session.
    ///   - isSecure: Whether it is sent over https only.
    ///   - isHTTPOnly: Whether it is to be kept from scripts.
    ///   - sameSite: On requests of which sites it is sent.
    /// - Throws: ``Refusal`` for what cannot be a cookie.
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

    /// Checks what a program and a `cookies.txt` may set.
    func checkAsMade() throws(Refusal) {
        // Without a name, everything before an equals sign would be one. A server may mean that (RFC 6265bis section 5.6), a program does not.
        guard !self.nameBytes.isEmpty || !self.valueBytes.contains(UInt8(ascii: "=")) else { throw .invalidCharacter }
        try self.check()
    }

    /// Checks what a parser of Set-Cookie fields leaves no room for.
    func check() throws(Refusal) {
        let (name, value, path) = (self.nameBytes, self.valueBytes, Array(self.path.utf8))
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        guard !(name + value + path).contains(where: SetCookie.isControl) else { throw .controlCharacter }
        guard !(name + value + path).contains(UInt8(ascii: ";")), !name.contains(UInt8(ascii: "=")),
            SetCookie.trimmed(name[...]) == name, SetCookie.trimmed(value[...]) == value
        else { throw .invalidCharacter }
        guard path.first == UInt8(ascii: "/") else { throw .invalidPath }
        try self.checkSecurity(hasPath: true)
    }

    /// A host in the form in which requests have it.
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
