// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The inverse of percent-encoding (RFC 3986 section 2.1), on bytes.
package enum PercentDecoding {
    /// Bytes that are not percent-encoded UTF-8.
    package enum Fault: Error, Equatable {
        /// The percent sign at this position is not followed by two hexadecimal digits.
        case escape(at: Int)
        /// The decoded bytes are not UTF-8.
        case encoding
    }

    /// Returns the text with every `%XX` replaced by its byte.
    ///
    /// - Parameters:
    ///   - text: The percent-encoded text.
    ///   - plusIsSpace: Whether `+` is decoded as a space, as in HTML forms.
    /// - Returns: The decoded text.
    /// - Throws: ``Fault``.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) throws(Fault) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "%") else {
                output.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
                continue
            }
            guard index + 2 < bytes.count,
                let high = Self.value(ofDigit: bytes[index + 1]),
                let low = Self.value(ofDigit: bytes[index + 2])
            else { throw .escape(at: index) }
            output.append(high << 4 | low)
            index += 3
        }
        guard let decoded = String(validating: output, as: UTF8.self) else { throw .encoding }
        return decoded
    }

    /// Returns the value of a hexadecimal digit, of either case; nil for any other byte.
    package static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
