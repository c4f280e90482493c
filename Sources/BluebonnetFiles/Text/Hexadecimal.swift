// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal encoding of bytes and numbers (RFC 4648 section 8), in lower case.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns two digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [self.digits[Int($0 >> 4)], self.digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    /// Returns all digits of a number, with leading zeros: eight for 32 bits.
    package static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        let shifts = stride(from: number.bitWidth - 8, through: 0, by: -8)
        return self.text(shifts.map { UInt8(truncatingIfNeeded: number >> $0) })
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
