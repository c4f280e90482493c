// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal encoding of bytes and numbers (RFC 4648 section 8), in lower case.
package enum Hexadecimal {
    /// Returns two digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        // The loop is not generic: a call from another module would allocate memory for each byte.
        self.digits(of: Array(bytes))
    }

    private static func digits(of bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(self.digit(byte >> 4))
            digits.append(self.digit(byte & 0xF))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }

    /// Returns all digits of a number of at most 64 bits, with leading zeros: eight for 32 bits.
    package static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let bits = UInt64(truncatingIfNeeded: number)
        let shifts = stride(from: number.bitWidth - 8, through: 0, by: -8)
        return self.digits(of: shifts.map { UInt8(truncatingIfNeeded: bits >> $0) })
    }

    /// Parses two digits, of either case, for each byte; nil for anything else.
    package static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for byte in text {
            guard let digit = byte.hexadecimalValue else { return nil }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        return high == nil ? bytes : nil
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit, of either case; nil for any other byte.
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self &- 0x30
        case 0x41...0x46: self &- 0x37
        case 0x61...0x66: self &- 0x57
        default: nil
        }
    }
}
