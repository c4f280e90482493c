// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Parses the parts of a content type from the bytes of a field value.
struct ContentTypeReader {
    private var rest: Substring.UTF8View

    init(_ field: String) {
        self.rest = field[...].utf8
        self.skipSpace()
    }

    var isAtEnd: Bool { self.rest.isEmpty }

    /// Consumes a byte if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard self.rest.first == byte else { return false }
        self.rest.removeFirst()
        return true
    }

    /// Consumes a semicolon and the optional white space around it.
    mutating func skipSeparator() -> Bool {
        self.skipSpace()
        guard self.skip(UInt8(ascii: ";")) else { return false }
        self.skipSpace()
        return true
    }

    mutating func readToken() -> String? {
        let token = self.rest.prefix { $0.isTokenByte }
        guard !token.isEmpty else { return nil }
        self.rest = self.rest[token.endIndex...]
        return String(token)
    }

    /// Parses `name=value`, where the value is a token or a quoted string; returns nil if no parameter follows the
    /// semicolon.
    mutating func readParameter() -> (name: String, value: String)? {
        guard let name = self.readToken(), self.skip(UInt8(ascii: "=")) else { return nil }
        if self.rest.first == UInt8(ascii: "\"") { return self.readQuotedString().map { (name, $0) } }
        return self.readToken().map { (name, $0) }
    }

    /// Parses a quoted string (RFC 9110 section 5.6.4): a backslash makes the next byte literal.
    private mutating func readQuotedString() -> String? {
        self.rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = self.rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = self.rest.popFirst() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }

    private mutating func skipSpace() { self.rest = self.rest.drop(while: \.isBlank) }
}
