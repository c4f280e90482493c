// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Parses the list of challenges in one field value (RFC 9110 sections 11.2, 11.3 and 11.6.1).
///
/// A comma separates both parameters and challenges. A token that no equals sign follows is the scheme of the next
/// challenge.
package struct ChallengeParser {
    package static let largestByteCount = 16 * 1024
    private static let largestChallengeCount = 16
    private static let largestParameterCount = 32

    private enum Element {
        case parameter(HTTPChallenge.Parameter)
        /// A token that is not followed by an equals sign; nothing was consumed.
        case other
        case malformed
    }

    private let bytes: [UInt8]
    private var index = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads challenges up to the end of the field, the first syntax error, or the limit.
    package mutating func read(into challenges: inout [HTTPChallenge]) {
        while challenges.count < Self.largestChallengeCount {
            self.skipSeparators()
            guard let scheme = self.token() else { return }
            guard let (challenge, isUsable) = self.challenge(AuthenticationScheme(scheme)) else { return }
            if isUsable { challenges.append(challenge) }
        }
    }

    /// Reads a list of parameters without a scheme, as in `Authentication-Info` (RFC 7615).
    ///
    /// - Returns: The parameters; nil if the text is malformed or repeats a parameter.
    package mutating func parameters() -> [HTTPChallenge.Parameter]? {
        self.skipSeparators()
        guard let (parameters, isUsable) = self.parameterList(), isUsable, self.isAtEnd else { return nil }
        return parameters
    }

    /// Reads what follows a scheme; returns nil if it is malformed.
    private mutating func challenge(_ scheme: AuthenticationScheme) -> (HTTPChallenge, isUsable: Bool)? {
        let end = self.index
        self.skipWhitespace()
        if self.isAtEnd || self.peek == UInt8(ascii: ",") { return (HTTPChallenge(scheme: scheme), true) }
        guard self.index > end else { return nil }
        if let token68 = self.token68() { return (HTTPChallenge(scheme: scheme, token68: token68), true) }
        guard let (parameters, isUsable) = self.parameterList(), !parameters.isEmpty else { return nil }
        return (HTTPChallenge(scheme: scheme, parameters: parameters), isUsable)
    }

    /// Reads parameters up to the end, or up to a token that is not a parameter; returns nil if they are malformed.
    private mutating func parameterList() -> ([HTTPChallenge.Parameter], isUsable: Bool)? {
        var parameters: [HTTPChallenge.Parameter] = []
        var isUsable = true
        while !self.isAtEnd {
            switch self.parameter() {
            case .malformed: return nil
            case .other: return (parameters, isUsable)
            case .parameter(let parameter):
                // RFC 9110 section 11.2: a parameter name occurs only once per challenge.
                if parameters.contains(where: { $0.name == parameter.name }) { isUsable = false }
                guard parameters.count < Self.largestParameterCount else { return nil }
                parameters.append(parameter)
            }
            self.skipWhitespace()
            guard self.isAtEnd || self.peek == UInt8(ascii: ",") else { return nil }
            self.skipSeparators()
        }
        return (parameters, isUsable)
    }

    private mutating func parameter() -> Element {
        let start = self.index
        guard let name = self.token() else { return .malformed }
        self.skipWhitespace()
        guard self.peek == UInt8(ascii: "=") else {
            self.index = start
            return .other
        }
        self.index += 1
        self.skipWhitespace()
        guard let value = self.peek == UInt8(ascii: "\"") ? self.quotedString() : self.token() else {
            return .malformed
        }
        return .parameter(HTTPChallenge.Parameter(name: name, value: value))
    }

    /// Reads a token (RFC 9110 section 5.6.2).
    private mutating func token() -> String? {
        let start = self.index
        while let byte = self.peek, byte.isTokenByte { self.index += 1 }
        return self.index > start ? String(decoding: self.bytes[start..<self.index], as: UTF8.self) : nil
    }

    /// Reads a token68 (RFC 9110 section 11.2); returns nil and consumes nothing if a parameter follows instead.
    private mutating func token68() -> String? {
        let start = self.index
        while let byte = self.peek, Self.isToken68Byte(byte) { self.index += 1 }
        let hasBytes = self.index > start
        while self.peek == UInt8(ascii: "=") { self.index += 1 }
        let end = self.index
        self.skipWhitespace()
        guard hasBytes, self.isAtEnd || self.peek == UInt8(ascii: ",") else {
            self.index = start
            return nil
        }
        return String(decoding: self.bytes[start..<end], as: UTF8.self)
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4), without its quotation marks and escapes.
    private mutating func quotedString() -> String? {
        self.index += 1
        var value: [UInt8] = []
        while let byte = self.peek {
            self.index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = self.peek, Self.isTextByte(escaped) else { return nil }
                self.index += 1
                value.append(escaped)
            case _ where Self.isTextByte(byte): value.append(byte)
            default: return nil
            }
        }
        return nil
    }

    // MARK: Bytes

    private var isAtEnd: Bool { self.index >= self.bytes.count }

    private var peek: UInt8? { self.isAtEnd ? nil : self.bytes[self.index] }

    private mutating func skipWhitespace() {
        while let byte = self.peek, byte.isBlank { self.index += 1 }
    }

    /// Skips whitespace and commas: a list may have empty elements (RFC 9110 section 5.6.1).
    private mutating func skipSeparators() {
        while let byte = self.peek, byte.isBlank || byte == UInt8(ascii: ",") { self.index += 1 }
    }

    package static func isToken68Byte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~+/".utf8.contains(byte)
    }

    private static func isTextByte(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }
}
