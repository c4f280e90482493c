// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The character encoding of text in a form.
public enum TextEncoding: String, Sendable, Hashable, Codable, CaseIterable {
    /// UTF-8; it can encode every character.
    case utf8 = "utf-8"
    /// The first 128 characters of Unicode.
    case ascii = "us-ascii"
    /// The first 256 characters of Unicode.
    case isoLatin1 = "iso-8859-1"
    /// ISO-8859-1 with the euro sign, quotation marks and dashes in place of control characters.
    case windows1252 = "windows-1252"
    /// UTF-16 in big-endian byte order; it can encode every character.
    case utf16BigEndian = "utf-16be"
    /// UTF-16 in little-endian byte order; it can encode every character.
    case utf16LittleEndian = "utf-16le"

    /// The value of a `charset` parameter.
    public var charset: String { self.rawValue }

    /// Encodes text.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes, without a byte order mark.
    /// - Throws: ``SerializationError/Code/unsupportedCharset`` if the encoding cannot represent one of the characters.
    public func encode(_ text: String) throws(SerializationError) -> Data {
        switch self {
        case .utf8: Data(text.utf8)
        case .utf16BigEndian: Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        case .utf16LittleEndian: Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        case .ascii: try self.encode(text) { $0 < 0x80 ? UInt8($0) : nil }
        case .isoLatin1: try self.encode(text) { $0 < 0x100 ? UInt8($0) : nil }
        case .windows1252: try self.encode(text, Self.windows1252Byte)
        }
    }

    private func encode(_ text: String, _ byte: (UInt32) -> UInt8?) throws(SerializationError) -> Data {
        var data = Data(capacity: text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = byte(scalar.value) else {
                let number = String(scalar.value, radix: 16, uppercase: true)
                throw SerializationError(
                    .unsupportedCharset,
                    reason: "the character U+\(number) cannot be represented in \(self.charset); use utf-8"
                )
            }
            data.append(byte)
        }
        return data
    }

    private static func windows1252Byte(_ scalar: UInt32) -> UInt8? {
        if let index = Self.windows1252Block.firstIndex(of: scalar) { return UInt8(0x80 + index) }
        return scalar < 0x80 || (0xA0...0xFF).contains(scalar) ? UInt8(scalar) : nil
    }

    /// The scalars of the bytes 0x80 to 0x9F (WHATWG Encoding, index windows-1252).
    private static let windows1252Block: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
