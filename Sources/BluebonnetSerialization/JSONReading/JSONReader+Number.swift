// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Powers of ten that a `Double` holds exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Reads a number: `-`? (0 | 1–9 digits) (`.` digits)? (`e` sign? digits)? (RFC 8259 section 6).
    mutating func readNumber() throws(JSONFault) -> JSONNumber {
        let start = self.position
        let isNegative = self.nextByte == UInt8(ascii: "-")
        if isNegative { self.position &+= 1 }
        var mantissa: UInt64 = 0
        let wholeStart = self.position
        if self.nextByte == UInt8(ascii: "0") {
            self.position &+= 1
        } else {
            try self.readDigits(into: &mantissa)
        }
        var digitCount = self.position &- wholeStart
        var exponent = 0
        var isWhole = true
        if self.nextByte == UInt8(ascii: ".") {
            isWhole = false
            self.position &+= 1
            let fractionStart = self.position
            try self.readDigits(into: &mantissa)
            exponent = fractionStart &- self.position
            digitCount &-= exponent
        }
        if self.nextByte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            exponent &+= try self.readExponent()
        }
        if isWhole, digitCount <= 18, mantissa != 0 || !isNegative {
            let value = Int64(truncatingIfNeeded: mantissa)
            return JSONNumber(storage: .integer(isNegative ? 0 &- value : value))
        }
        // Up to 15 significant digits and an exact power of ten give the nearest Double with one rounding.
        if digitCount <= 15, -22...22 ~= exponent {
            let power = Self.exactPowers[abs(exponent)]
            let magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
            return JSONNumber(storage: .double(isNegative ? -magnitude : magnitude))
        }
        let text = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        return JSONNumber(storage: Int64(text).map { .integer($0) } ?? .text(text))
    }

    /// Reads one or more digits.
    @inline(__always)
    private mutating func readDigits(into mantissa: inout UInt64) throws(JSONFault) {
        let start = self.position
        while self.position < self.bytes.count {
            let digit = self.bytes[self.position] &- 0x30
            guard digit <= 9 else { break }
            // Beyond 19 digits this overflows; the text is used instead.
            mantissa = mantissa &* 10 &+ UInt64(digit)
            self.position &+= 1
        }
        guard self.position > start else { throw self.unexpected("a digit") }
    }

    /// Reads an exponent; one of more than six digits is clamped, far outside the range that is computed with.
    private mutating func readExponent() throws(JSONFault) -> Int {
        self.position &+= 1
        let isNegative = self.nextByte == UInt8(ascii: "-")
        if isNegative || self.nextByte == UInt8(ascii: "+") { self.position &+= 1 }
        let start = self.position
        var value: UInt64 = 0
        while self.nextByte == UInt8(ascii: "0") { self.position &+= 1 }
        let significant = self.position
        if self.position == start || 0x30...0x39 ~= self.nextByte { try self.readDigits(into: &value) }
        if self.position &- significant > 6 { value = 1_000_000 }
        return isNegative ? -Int(value) : Int(value)
    }
}
