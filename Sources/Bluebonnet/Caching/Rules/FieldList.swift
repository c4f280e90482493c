// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The members of fields whose values are lists (RFC 9110 section 5.6.1).
enum FieldList {
    /// The wildcard member of Vary and If-None-Match.
    static let everything = "*"

    /// One member, as `name`, `name=token` or `name="quoted string"`.
    struct Member: Equatable {
        /// The name in lower case, without white space around it.
        var name: String
        /// The value after the equals sign, without quotes; nil if there is none.
        var argument: String?
        /// Whether the member is more or less than a name and an argument.
        var isMalformed = false
    }

    /// The members of all lines of a field.
    static func members(of name: HTTPField.Name, in headers: HTTPFields) -> [Member] {
        headers[values: name].flatMap { Self.parts(of: $0).map(Self.member) }
    }

    /// The names in all lines of a field, in lower case.
    static func names(of name: HTTPField.Name, in headers: HTTPFields) -> [String] {
        headers[values: name].flatMap(Self.names)
    }

    /// The names in a list, in lower case.
    static func names(in text: String) -> [String] {
        Self.parts(of: text).map(Self.name)
    }

    /// Splits a list at the commas outside quoted strings; empty members are dropped.
    static func parts(of text: String) -> [ArraySlice<UInt8>] { Self.parts(of: Array(text.utf8)) }

    /// Splits a list whose bytes need not be UTF-8.
    ///
    /// A quote that is never closed is an ordinary byte, so that it hides no member.
    static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        var position = 0
        var mayBeQuoted = true
        while position <= bytes.count {
            if position == bytes.count || bytes[position] == UInt8(ascii: ",") {
                let part = bytes[start..<position].trimmingBlanks
                if !part.isEmpty { parts.append(part) }
                start = position + 1
            } else if mayBeQuoted, bytes[position] == UInt8(ascii: "\"") {
                // After a quote that is never closed every other quote is escaped, so none of them is closed either.
                if let end = Self.endOfQuotedString(bytes, position) { position = end } else { mayBeQuoted = false }
            }
            position += 1
        }
        return parts
    }

    /// The position of the closing quote; nil if there is none.
    private static func endOfQuotedString(_ bytes: [UInt8], _ start: Int) -> Int? {
        var position = start + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): return position
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    private static func member(_ part: ArraySlice<UInt8>) -> Member {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
            return Member(name: Self.name(part))
        }
        let (name, argument) = (part[..<equals], part[(equals + 1)...])
        var member = Member(name: Self.name(name.trimmingBlanks))
        if let unquoted = Self.unquoted(argument) {
            member.argument = unquoted
        } else {
            member.argument = Self.text(argument)
            member.isMalformed = argument.isEmpty || !argument.allSatisfy(\.isTokenByte)
        }
        // White space around the equals sign is not allowed (RFC 9111 section 5.2).
        if name.last?.isBlank == true { member.isMalformed = true }
        return member
    }

    /// The text of a quoted string; nil if the bytes are not one.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""),
            Self.endOfQuotedString(Array(bytes), 0) == bytes.count - 1
        else { return nil }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                text.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
