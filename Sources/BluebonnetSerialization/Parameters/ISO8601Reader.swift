// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Reads the parts of an ISO 8601 text, byte by byte.
struct ISO8601Reader {
    private var bytes: Substring.UTF8View

    init(_ text: String) {
        self.bytes = Substring(text).utf8
    }

    var isAtEnd: Bool { self.bytes.isEmpty }

    /// Consumes the next byte if it is one of these.
    mutating func skip(_ characters: Unicode.Scalar...) -> Bool {
        guard let byte = self.bytes.first, characters.contains(Unicode.Scalar(byte)) else { return false }
        self.bytes.removeFirst()
        return true
    }

    /// Consumes a number with exactly this many digits.
    mutating func number(digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = self.digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Consumes a fraction, of which 9 digits count; returns 0 if there is no decimal separator, nil if no digit
    /// follows it.
    mutating func fraction() -> Double? {
        guard self.skip(".", ",") else { return 0 }
        guard var number = self.digit() else { return nil }
        var scale = 10.0
        while let digit = self.digit() {
            guard scale < 1e9 else { continue }
            number = number * 10 + digit
            scale *= 10
        }
        return Double(number) / scale
    }

    /// Consumes `Z`, `+HH:MM`, `+HHMM` or `+HH`, and returns seconds; nil if there is none of them.
    mutating func offset() -> Int? {
        if self.skip("Z", "z") { return 0 }
        let isNegative = self.bytes.first == UInt8(ascii: "-")
        guard self.skip("+", "-"), let hours = self.number(digits: 2), hours <= 23 else { return nil }
        var minutes = 0
        if self.skip(":") || !self.isAtEnd {
            guard let number = self.number(digits: 2), number <= 59 else { return nil }
            minutes = number
        }
        let seconds = hours * 3_600 + minutes * 60
        return isNegative ? -seconds : seconds
    }

    private mutating func digit() -> Int? {
        guard let byte = self.bytes.first, byte.isASCIIDigit else { return nil }
        self.bytes.removeFirst()
        return Int(byte) - 0x30
    }
}
