// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Charset {
    /// Decodes bytes; returns nil if they are invalid in this encoding, or if it is not available.
    func decode(_ bytes: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .utf8: return String(validating: bytes.dropping(prefix: [0xEF, 0xBB, 0xBF]), as: UTF8.self)
        case .utf16:
            let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
            return (isLittleEndian ? Charset.utf16LittleEndian : .utf16BigEndian).decode(bytes)
        case .utf16BigEndian: return Self.decodeUTF16(bytes.dropping(prefix: [0xFE, 0xFF])) { UInt16(bigEndian: $0) }
        case .utf16LittleEndian:
            return Self.decodeUTF16(bytes.dropping(prefix: [0xFF, 0xFE])) { UInt16(littleEndian: $0) }
        case .utf32:
            let isLittleEndian = bytes.starts(with: [0xFF, 0xFE, 0, 0])
            return (isLittleEndian ? Charset.utf32LittleEndian : .utf32BigEndian).decode(bytes)
        case .utf32BigEndian:
            return Self.decodeUTF32(bytes.dropping(prefix: [0, 0, 0xFE, 0xFF])) { UInt32(bigEndian: $0) }
        case .utf32LittleEndian:
            return Self.decodeUTF32(bytes.dropping(prefix: [0xFF, 0xFE, 0, 0])) { UInt32(littleEndian: $0) }
        case .ascii: return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .iso8859Part1: return Self.decodeSingleBytes(bytes) { Unicode.Scalar($0) }
        case .windows1252:
            return Self.decodeSingleBytes(bytes) { byte in
                guard 0x80...0x9F ~= byte else { return Unicode.Scalar(byte) }
                return Unicode.Scalar(Self.windows1252Upper[Int(byte - 0x80)]) ?? Unicode.Scalar(byte)
            }
        case .macintosh: return Self.decodeSingleBytes(bytes, upper: Self.macintoshUpper)
        case .macCyrillic: return Self.decodeSingleBytes(bytes, upper: Self.macCyrillicUpper)
        default: return CharsetConverter(self)?.decode(bytes)
        }
    }

    /// Returns the width of a scalar in this Unicode encoding, in bytes, from the first byte of its UTF-8 form.
    func width(ofScalarStartingWith byte: UInt8) -> Int {
        switch self {
        case .utf16, .utf16BigEndian, .utf16LittleEndian: byte >= 0xF0 ? 4 : 2
        case .utf32, .utf32BigEndian, .utf32LittleEndian: 4
        case .utf8: byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        default: 1
        }
    }

    /// The scalars of the bytes 0x80 to 0x9F.
    private static let windows1252Upper: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F,
        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D,
        0x017E, 0x0178,
    ]

    /// The scalars of the bytes from 0x80 on.
    private static let macintoshUpper = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars
    )

    /// The scalars of the bytes from 0x80 on.
    private static let macCyrillicUpper = Array(
        ("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ†°Ґ£§•¶І®©™Ђђ≠Ѓѓ∞±≤≥іµґЈЄєЇїЉљЊњ"
            + "јЅ¬√ƒ≈∆«»…\u{A0}ЋћЌќѕ–—“”‘’÷„ЎўЏџ№Ёёяабвгдежзийклмнопрстуфхцчшщъыьэю€").unicodeScalars
    )

    private static func decodeUTF16(_ bytes: UnsafeRawBufferPointer, order: (UInt16) -> UInt16) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            order(bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self))
        }
        return String(validating: units, as: UTF16.self)
    }

    private static func decodeUTF32(_ bytes: UnsafeRawBufferPointer, order: (UInt32) -> UInt32) -> String? {
        guard bytes.count.isMultiple(of: 4) else { return nil }
        var result = String.UnicodeScalarView()
        for offset in stride(from: 0, to: bytes.count, by: 4) {
            guard let scalar = Unicode.Scalar(order(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            else { return nil }
            result.append(scalar)
        }
        return String(result)
    }

    private static func decodeSingleBytes(_ bytes: UnsafeRawBufferPointer, upper: [Unicode.Scalar]) -> String {
        self.decodeSingleBytes(bytes) { $0 < 0x80 ? Unicode.Scalar($0) : upper[Int($0 - 0x80)] }
    }

    private static func decodeSingleBytes(_ bytes: UnsafeRawBufferPointer, scalar: (UInt8) -> Unicode.Scalar) -> String
    {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var result = String.UnicodeScalarView()
        for byte in bytes { result.append(scalar(byte)) }
        return String(result)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the bytes without a leading byte order mark.
    fileprivate func dropping(prefix: [UInt8]) -> UnsafeRawBufferPointer {
        self.starts(with: prefix) ? UnsafeRawBufferPointer(rebasing: self[prefix.count...]) : self
    }
}
