// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Detects the Unicode encoding of a JSON or XML document.
enum UnicodeDetector {
    /// An encoding, and the length of its byte order mark; 0 if there is none.
    struct Encoding {
        var charset: Charset
        var markLength: Int
    }

    /// Returns the encoding; nil for plain UTF-8.
    ///
    /// Such a document starts with an ASCII character. Without a byte order mark, the zero bytes around that character
    /// show the width and byte order of the code units.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> Encoding? {
        guard bytes.count >= 2 else { return nil }
        let first = (bytes[0], bytes[1])
        let second: (UInt8, UInt8)? = bytes.count >= 4 ? (bytes[2], bytes[3]) : nil
        switch (first, second) {
        case ((0xEF, 0xBB), _) where bytes.count >= 3 && bytes[2] == 0xBF:
            return Encoding(charset: .utf8, markLength: 3)
        case ((0xFF, 0xFE), (0, 0)?): return Encoding(charset: .utf32LittleEndian, markLength: 4)
        case ((0, 0), (0xFE, 0xFF)?): return Encoding(charset: .utf32BigEndian, markLength: 4)
        case ((0xFF, 0xFE), _): return Encoding(charset: .utf16LittleEndian, markLength: 2)
        case ((0xFE, 0xFF), _): return Encoding(charset: .utf16BigEndian, markLength: 2)
        case ((0, 0), (0, 1...)?): return Encoding(charset: .utf32BigEndian, markLength: 0)
        case ((1..., 0), (0, 0)?): return Encoding(charset: .utf32LittleEndian, markLength: 0)
        case ((0, 1...), _): return Encoding(charset: .utf16BigEndian, markLength: 0)
        case ((1..., 0), _): return Encoding(charset: .utf16LittleEndian, markLength: 0)
        default: return nil
        }
    }
}
