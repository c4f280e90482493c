// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The state of a parser for numbers (RFC 8259 section 6).
enum JSONNumberState: Equatable {
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits

    /// Creates the state after the first byte; nil if no number begins with it.
    init?(first byte: UInt8) {
        switch byte {
        case UInt8(ascii: "-"): self = .minus
        case UInt8(ascii: "0"): self = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .integer
        default: return nil
        }
    }

    /// Whether a number can end here.
    var isComplete: Bool {
        switch self {
        case .zero, .integer, .fraction, .exponentDigits: true
        case .minus, .point, .exponent, .exponentSign: false
        }
    }

    /// Returns the state after another byte; nil if the byte is not part of the number.
    func next(_ byte: UInt8) -> JSONNumberState? {
        switch (self, byte) {
        case (.minus, UInt8(ascii: "0")): .zero
        case (.minus, _) where byte.isASCIIDigit, (.integer, _) where byte.isASCIIDigit: .integer
        case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
        case (.point, _) where byte.isASCIIDigit, (.fraction, _) where byte.isASCIIDigit: .fraction
        case (.zero, _) where byte | 0x20 == UInt8(ascii: "e"), (.integer, _) where byte | 0x20 == UInt8(ascii: "e"),
            (.fraction, _) where byte | 0x20 == UInt8(ascii: "e"):
            .exponent
        case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): .exponentSign
        case (.exponent, _) where byte.isASCIIDigit, (.exponentSign, _) where byte.isASCIIDigit,
            (.exponentDigits, _) where byte.isASCIIDigit:
            .exponentDigits
        default: nil
        }
    }
}
