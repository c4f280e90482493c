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
            guard let decoded = bytes.byte(ofTripletAt: index) else { throw .escape(at: index) }
            output.append(decoded)
            index += 3
        }
        guard let decoded = String(validating: output, as: UTF8.self) else { throw .encoding }
        return decoded
    }

    /// Returns the bytes with every `%XX` replaced by its byte; any other percent sign is unchanged.
    ///
    /// - Parameters:
    ///   - bytes: The percent-encoded bytes.
    ///   - plusIsSpace: Whether `+` is decoded as a space, as in HTML forms.
    /// - Returns: The decoded bytes, which need not be text.
    package static func decodeLeniently(_ bytes: [UInt8], plusIsSpace: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if let decoded = bytes.byte(ofTripletAt: index) {
                output.append(decoded)
                index += 3
            } else {
                output.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return output
    }
}

extension [UInt8] {
    /// The byte that the triplet `%XX` at an index encodes; nil if there is no triplet.
    package func byte(ofTripletAt index: Int) -> UInt8? {
        guard self[index] == UInt8(ascii: "%"), index + 2 < self.count,
            let high = self[index + 1].hexadecimalValue, let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// Appends the triplet `%XX` of a byte, with digits in upper case (RFC 3986 section 2.1).
    package mutating func append(tripletOf byte: UInt8) {
        self.append(UInt8(ascii: "%"))
        for value in [byte >> 4, byte & 0xF] { self.append(value < 10 ? value + 0x30 : value + 0x37) }
    }
}
