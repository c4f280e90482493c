// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 <= 9 }

    /// Whether the byte is an ASCII letter.
    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 <= 25 }

    /// Whether the byte is an ASCII letter or digit.
    @inlinable package var isASCIIAlphanumeric: Bool { self.isASCIILetter || self.isASCIIDigit }
}

extension Collection<UInt8> {
    /// Parses the bytes as a decimal number: ASCII digits, without a sign.
    ///
    /// - Returns: Nil if there are no digits, if there is another byte, or if the number does not fit.
    @inlinable package func decimalNumber<Number: FixedWidthInteger>(as _: Number.Type = Number.self) -> Number? {
        guard !self.isEmpty else { return nil }
        var number: Number = 0
        for byte in self {
            guard byte.isASCIIDigit, let next = number.appending(digit: byte) else { return nil }
            number = next
        }
        return number
    }

    /// Parses the bytes as a decimal number, and reduces one that is too large.
    ///
    /// - Parameter limit: The largest result.
    /// - Returns: Nil if there are no digits, or if there is another byte.
    @inlinable package func decimalNumber<Number: FixedWidthInteger>(clampedTo limit: Number) -> Number? {
        guard !self.isEmpty else { return nil }
        var number: Number = 0
        for byte in self {
            guard byte.isASCIIDigit else { return nil }
            number = number.appending(digit: byte).map { Swift.min($0, limit) } ?? limit
        }
        return number
    }
}

extension FixedWidthInteger {
    /// The number with another decimal digit at its end; nil if it does not fit.
    @inlinable func appending(digit: UInt8) -> Self? {
        let (tens, isTooLarge) = self.multipliedReportingOverflow(by: 10)
        let (sum, isLarger) = tens.addingReportingOverflow(Self(truncatingIfNeeded: digit &- 0x30))
        return isTooLarge || isLarger ? nil : sum
    }
}
