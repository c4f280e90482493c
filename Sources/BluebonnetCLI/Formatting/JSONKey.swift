// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The text of a key in a JSON document, whatever of it is written with escapes.
struct JSONKey {
    /// The bytes between the quotes.
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var text: [UInt8] = []

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
        self.text.reserveCapacity(bytes.count)
    }

    /// Decodes a key.
    ///
    /// - Parameter bytes: The bytes between the quotes.
    /// - Returns: The text in UTF-8, of which the order is that of the code points; half a surrogate pair is encoded
    ///   like a character of its own, and an escape that does not exist stays as it is. Nil if there is no escape.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "\\")) else { return nil }
        var key = JSONKey(bytes)
        while let byte = key.next() {
            if byte == UInt8(ascii: "\\") { key.readEscape() } else { key.text.append(byte) }
        }
        return key.text
    }

    private mutating func next() -> UInt8? {
        guard self.position < self.bytes.endIndex else { return nil }
        defer { self.position += 1 }
        return self.bytes[self.position]
    }

    private mutating func readEscape() {
        guard let byte = self.next() else { return self.text.append(UInt8(ascii: "\\")) }
        switch byte {
        case UInt8(ascii: "b"): self.text.append(0x08)
        case UInt8(ascii: "f"): self.text.append(0x0C)
        case UInt8(ascii: "n"): self.text.append(0x0A)
        case UInt8(ascii: "r"): self.text.append(0x0D)
        case UInt8(ascii: "t"): self.text.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): self.text.append(byte)
        case UInt8(ascii: "u"):
            guard let unit = self.readUnit() else { fallthrough }
            self.append(self.joined(unit))
        default: self.text += [UInt8(ascii: "\\"), byte]
        }
    }

    /// Reads four hexadecimal digits; nothing is read if they are not there.
    private mutating func readUnit() -> UInt32? {
        let digits = self.bytes[self.position...].prefix(4)
        guard digits.count == 4 else { return nil }
        var unit: UInt32 = 0
        for digit in digits {
            guard let value = digit.hexadecimalValue else { return nil }
            unit = unit << 4 | UInt32(value)
        }
        self.position += 4
        return unit
    }

    /// The code point of a unit, with the second one of a surrogate pair.
    private mutating func joined(_ unit: UInt32) -> UInt32 {
        guard (0xD800..<0xDC00).contains(unit), self.bytes[self.position...].starts(with: "\\u".utf8) else {
            return unit
        }
        let start = self.position
        self.position += 2
        if let second = self.readUnit(), (0xDC00..<0xE000).contains(second) {
            return 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00)
        }
        self.position = start
        return unit
    }

    /// Appends a code point in UTF-8, as which half a surrogate pair has three bytes, too.
    private mutating func append(_ point: UInt32) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (point >> shift & 0x3F)) }
        switch point {
        case 0..<0x80: self.text.append(UInt8(truncatingIfNeeded: point))
        case 0x80..<0x800: self.text += [UInt8(truncatingIfNeeded: 0xC0 | point >> 6), tail(0)]
        case 0x800..<0x10000: self.text += [UInt8(truncatingIfNeeded: 0xE0 | point >> 12), tail(6), tail(0)]
        default: self.text += [UInt8(truncatingIfNeeded: 0xF0 | point >> 18), tail(12), tail(6), tail(0)]
        }
    }
}
