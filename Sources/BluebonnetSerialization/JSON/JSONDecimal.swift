// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The value of a JSON number in canonical form: sign, significant digits without zeros at either end, power of ten.
struct JSONDecimal: Hashable {
    var isNegative: Bool
    var digits: [UInt8]
    var exponent: Int

    /// Parses a JSON number; nil if the text is not one.
    ///
    /// Exponents of more than 9 digits are clamped: no program can compute with such numbers.
    init?(_ text: String) {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0
        var writtenExponent = 0
        var isExponentNegative = false
        enum Part { case whole, fraction, exponent }
        var part = Part.whole
        for byte in text.utf8 {
            switch (byte, part) {
            case (UInt8(ascii: "-"), .exponent): isExponentNegative = true
            case (UInt8(ascii: "+"), .exponent): break
            case (UInt8(ascii: "-"), _): isNegative = true
            case (UInt8(ascii: "."), _): part = .fraction
            case (UInt8(ascii: "e"), _), (UInt8(ascii: "E"), _): part = .exponent
            case (0x30...0x39, .exponent): writtenExponent = min(writtenExponent * 10 + Int(byte - 0x30), 1_000_000_000)
            case (0x30...0x39, _):
                if !digits.isEmpty || byte != 0x30 { digits.append(byte - 0x30) }
                if part == .fraction { exponent -= 1 }
            default: return nil
            }
        }
        let zeros = digits.reversed().prefix { $0 == 0 }.count
        digits.removeLast(zeros)
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent =
            digits.isEmpty ? 0 : exponent + zeros + (isExponentNegative ? -writtenExponent : writtenExponent)
    }

    /// The value as an integer, nil if it has a fraction or does not fit.
    var int64: Int64? {
        guard let magnitude = self.magnitude else { return nil }
        if self.isNegative, magnitude == Int64.min.magnitude { return .min }
        guard let value = Int64(exactly: magnitude) else { return nil }
        return self.isNegative ? -value : value
    }

    /// The value as an unsigned integer, nil if it is negative, has a fraction or does not fit.
    var uint64: UInt64? { self.isNegative ? nil : self.magnitude }

    private var magnitude: UInt64? {
        guard self.exponent >= 0, self.digits.count + self.exponent <= 20 else { return nil }
        var result: UInt64 = 0
        for position in 0..<(self.digits.count + self.exponent) {
            let digit = position < self.digits.count ? UInt64(self.digits[position]) : 0
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            result = sum
        }
        return result
    }
}
