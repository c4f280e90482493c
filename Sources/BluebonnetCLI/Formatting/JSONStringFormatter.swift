// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A formatter for the content of a JSON string that replaces escapes of printable characters as it arrives.
///
/// Control characters stay escaped or are escaped: the output is valid JSON, and safe on a terminal.
struct JSONStringFormatter {
    /// The bytes of an incomplete escape, pair of escapes, or UTF-8 sequence: at most 12.
    private var pending: [UInt8] = []

    /// Formats bytes up to the end of the string or of the buffer.
    ///
    /// - Returns: Whether the end of the string was reached; nil if the byte at the position cannot be part of one.
    mutating func write(
        _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int,
        into output: inout [UInt8]
    ) -> Bool? {
        while position < bytes.count {
            // A high surrogate without a low one is written unchanged.
            if self.pending.count == 6, bytes[position] != UInt8(ascii: "\\") { self.abandon(into: &output) }
            if self.pending.isEmpty {
                let start = position
                while position < bytes.count {
                    let count = Self.isPlain(bytes[position]) ? 1 : Self.safeCharacterCount(bytes, at: position)
                    if count == 0 { break }
                    position += count
                }
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                guard position < bytes.count else { return false }
                if bytes[position] == UInt8(ascii: "\"") {
                    output.append(bytes[position])
                    position += 1
                    return true
                }
            }
            guard self.writeSpecial(bytes[position], into: &output) else { return nil }
            position += 1
        }
        return false
    }

    /// Writes the incomplete bytes, if the document ends here.
    mutating func abandon(into output: inout [UInt8]) {
        // An incomplete character becomes U+FFFD: its bytes may be control characters in another charset.
        output += Array(String(decoding: self.pending, as: UTF8.self).utf8)
        self.pending = []
    }

    /// Returns whether a byte is a visible ASCII character that needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Returns the length of a complete, valid and safe character outside ASCII; 0 for anything else.
    private static func safeCharacterCount(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        let first = UInt32(bytes[position])
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first <= 0xF4, position + count <= bytes.count else { return 0 }
        var value = first & (count == 2 ? 0x1F : count == 3 ? 0x0F : 0x07)
        for index in 1..<count {
            let next = UInt32(bytes[position + index])
            guard next & 0xC0 == 0x80 else { return 0 }
            value = value << 6 | next & 0x3F
        }
        let isShortest = value >= (count == 2 ? 0x80 : count == 3 ? 0x800 : 0x1_0000)
        guard isShortest, let scalar = Unicode.Scalar(value), !TerminalText.isUnsafe(scalar) else { return 0 }
        return count
    }

    /// - Returns: False if the byte cannot be part of a string here.
    private mutating func writeSpecial(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        guard let first = self.pending.first else {
            guard byte >= 0x20 else { return false }
            if byte == 0x7F {
                Self.append("\u{7F}", to: &output)
                return true
            }
            guard byte == UInt8(ascii: "\\") || (0xC2...0xF4).contains(byte) else { return false }
            self.pending = [byte]
            return true
        }
        return first == UInt8(ascii: "\\")
            ? self.continueEscape(byte, into: &output) : self.continueCharacter(byte, into: &output)
    }

    private mutating func continueCharacter(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        guard byte & 0xC0 == 0x80 else { return false }
        let character = self.pending + [byte]
        let needed = character[0] >= 0xF0 ? 4 : character[0] >= 0xE0 ? 3 : 2
        guard character.count == needed else {
            self.pending = character
            return true
        }
        guard let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first else { return false }
        self.pending = []
        Self.append(scalar, to: &output)
        return true
    }

    private mutating func continueEscape(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        switch self.pending.count {
        case 1, 7:
            if self.pending.count == 7, byte != UInt8(ascii: "u") {
                // A surrogate without its other half is written unchanged; another escape has begun.
                output += self.pending.prefix(6)
                self.pending.removeFirst(6)
            }
            return self.selectEscape(byte, into: &output)
        case 6:
            // The escape of a high surrogate is complete; this is the backslash of the next escape.
            self.pending.append(byte)
            return true
        default:
            guard byte.hexadecimalValue != nil else { return false }
            self.pending.append(byte)
            if self.pending.count == 6 || self.pending.count == 12 { self.endEscape(into: &output) }
            return true
        }
    }

    private mutating func selectEscape(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        switch byte {
        case UInt8(ascii: "u"):
            self.pending.append(byte)
        case UInt8(ascii: "/"):
            output.append(byte)
            self.pending = []
        case _ where "\"\\bfnrt".utf8.contains(byte):
            output += [UInt8(ascii: "\\"), byte]
            self.pending = []
        default:
            return false
        }
        return true
    }

    private mutating func endEscape(into output: inout [UInt8]) {
        let units = stride(from: 2, to: self.pending.count, by: 6).map { start in
            self.pending[start..<(start + 4)].reduce(UInt16(0)) { unit, digit in
                unit << 4 | UInt16(digit.hexadecimalValue ?? 0)
            }
        }
        if units.count == 1, UTF16.isLeadSurrogate(units[0]) { return }
        if let scalar = String(validating: units, as: UTF16.self)?.unicodeScalars.first {
            Self.append(scalar, to: &output)
        } else {
            output += self.pending
        }
        self.pending = []
    }

    /// Writes a scalar so that it is valid in a string and safe on a terminal.
    private static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        if scalar == "\"" || scalar == "\\" {
            output += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
        } else if TerminalText.isUnsafe(scalar) {
            let digits = String(scalar.value, radix: 16)
            output +=
                Array("\\u".utf8) + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count) + digits.utf8
        } else {
            output += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
    }
}
