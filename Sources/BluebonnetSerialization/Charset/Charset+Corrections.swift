// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Where the WHATWG Encoding standard decodes what `iconv` refuses or decodes otherwise.
extension Charset {
    /// Returns the character that bytes start with which `iconv` refuses, and its length in bytes; nil if they are
    /// invalid in the standard too.
    func missingCharacter(in bytes: UnsafeRawBufferPointer) -> (scalar: Unicode.Scalar, byteCount: Int)? {
        guard let first = bytes.first else { return nil }
        switch self {
        case .gbk, .gb18030:
            // WHATWG Encoding section 10.2.1: the euro sign of code page 936.
            return first == 0x80 ? ("€", 1) : nil
        case .big5:
            guard bytes.count >= 2 else { return nil }
            return Self.codePage950[UInt16(first) << 8 | UInt16(bytes[1])].map { ($0, 2) }
        case .windows874, .windows1250, .windows1251, .windows1253, .windows1254, .windows1255, .windows1256,
            .windows1257, .windows1258:
            return 0x80...0x9F ~= first ? (Unicode.Scalar(first), 1) : nil
        default:
            return nil
        }
    }

    /// Replaces characters, in UTF-8, that `iconv` decodes to others than the standard does.
    ///
    /// All of them have three bytes in UTF-8, as has what replaces them.
    func correctCharacters(in text: UnsafeMutableRawBufferPointer) {
        guard self == .big5 || self == .eucJP else { return }
        var index = 0
        while index + 2 < text.count {
            guard text[index] & 0xF0 == 0xE0 else {
                index += 1
                continue
            }
            let code =
                UInt16(text[index] & 0x0F) << 12 | UInt16(text[index + 1] & 0x3F) << 6 | UInt16(text[index + 2] & 0x3F)
            if let correct = self.correction(of: code) {
                text[index] = 0xE0 | UInt8(correct >> 12)
                text[index + 1] = 0x80 | UInt8(correct >> 6 & 0x3F)
                text[index + 2] = 0x80 | UInt8(correct & 0x3F)
            }
            index += 3
        }
    }

    private func correction(of code: UInt16) -> UInt16? {
        switch (self, code) {
        case (.big5, 0x2022): return 0x2027
        case (.big5, 0xFF0F): return 0x2215
        case (.eucJP, Self.firstOfRow89...):
            let index = Int(code - Self.firstOfRow89)
            return index < Self.rows89To92.count ? Self.rows89To92[index] : nil
        default: return nil
        }
    }

    /// The sequences of Microsoft's code page 950 that BIG5-HKSCS does not have.
    private static let codePage950: [UInt16: Unicode.Scalar] = [
        0xA15A: "╴", 0xA1C3: "￣", 0xA1C5: "ˍ", 0xA1FE: "／", 0xA240: "＼", 0xA2CC: "十", 0xA2CE: "卅", 0xA3E1: "€",
    ]

    /// The private-use character that EUC-JP-MS decodes the first sequence of row 89 to.
    private static let firstOfRow89: UInt16 = 0xE178

    /// The characters of NEC in the rows 89 to 92 of JIS X 0208, which EUC-JP-MS leaves to its users.
    ///
    /// Shift_JIS has the same rows, two for each lead byte. The two sequences that are undefined keep their private-use
    /// characters.
    private static let rows89To92: [UInt16] = (0..<4 * 94).map { index in
        let undefined = Self.firstOfRow89 + UInt16(index)
        let (pair, cell) = index.quotientAndRemainder(dividingBy: 2 * 94)
        // The trail bytes leave out 0x7F.
        let sequence = [0xED + UInt8(pair), UInt8(cell < 63 ? 0x40 + cell : 0x41 + cell)]
        let text = sequence.withUnsafeBytes { Charset.shiftJIS.decode($0) }
        return text?.utf16.first ?? undefined
    }
}
