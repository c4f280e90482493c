// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// A character encoding, as named by the `charset` parameter of a content type or by an XML declaration.
///
/// The names are those of the WHATWG Encoding standard if it has them. Unlike in the standard, `us-ascii` and
/// `iso-8859-1` are separate encodings and not labels of windows-1252, and `x-user-defined` is unknown. In the
/// encodings of Windows, the undefined bytes from 0x80 to 0x9F are the control characters with the same numbers, as in
/// browsers.
///
/// The library decodes Unicode, ASCII, ISO-8859-1, windows-1252 and the encodings of Mac OS. The C library's `iconv`
/// decodes the others; its tables are installed with glibc and built into musl, see ``isAvailable``.
public enum Charset: String, Sendable, Hashable, Codable, CaseIterable {
    /// UTF-8; a byte order mark is skipped.
    case utf8 = "UTF-8"
    /// UTF-16 in the byte order of its byte order mark, big-endian without one (RFC 2781 section 4.3).
    case utf16 = "UTF-16"
    /// UTF-16 in big-endian byte order.
    case utf16BigEndian = "UTF-16BE"
    /// UTF-16 in little-endian byte order.
    case utf16LittleEndian = "UTF-16LE"
    /// UTF-32 in the byte order of its byte order mark, big-endian without one.
    case utf32 = "UTF-32"
    /// UTF-32 in big-endian byte order.
    case utf32BigEndian = "UTF-32BE"
    /// UTF-32 in little-endian byte order.
    case utf32LittleEndian = "UTF-32LE"
    /// ASCII: bytes from 0x80 on are an error.
    case ascii = "US-ASCII"
    /// ISO-8859-1 (Western Europe): every byte is the scalar with the same number.
    case iso8859Part1 = "ISO-8859-1"
    /// ISO-8859-2 (Central Europe).
    case iso8859Part2 = "ISO-8859-2"
    /// ISO-8859-3 (Southern Europe).
    case iso8859Part3 = "ISO-8859-3"
    /// ISO-8859-4 (Northern Europe).
    case iso8859Part4 = "ISO-8859-4"
    /// ISO-8859-5 (Cyrillic).
    case iso8859Part5 = "ISO-8859-5"
    /// ISO-8859-6 (Arabic).
    case iso8859Part6 = "ISO-8859-6"
    /// ISO-8859-7 (Greek).
    case iso8859Part7 = "ISO-8859-7"
    /// ISO-8859-8 (Hebrew), without reordering.
    case iso8859Part8 = "ISO-8859-8"
    /// ISO-8859-10 (Nordic languages).
    case iso8859Part10 = "ISO-8859-10"
    /// ISO-8859-13 (Baltic languages).
    case iso8859Part13 = "ISO-8859-13"
    /// ISO-8859-14 (Celtic languages).
    case iso8859Part14 = "ISO-8859-14"
    /// ISO-8859-15 (Western Europe with the euro sign).
    case iso8859Part15 = "ISO-8859-15"
    /// ISO-8859-16 (South-Eastern Europe).
    case iso8859Part16 = "ISO-8859-16"
    /// windows-874 (Thai).
    case windows874 = "windows-874"
    /// windows-1250 (Central Europe).
    case windows1250 = "windows-1250"
    /// windows-1251 (Cyrillic).
    case windows1251 = "windows-1251"
    /// windows-1252 (Western Europe).
    case windows1252 = "windows-1252"
    /// windows-1253 (Greek).
    case windows1253 = "windows-1253"
    /// windows-1254 (Turkish); also used for ISO-8859-9, of which it is a superset.
    case windows1254 = "windows-1254"
    /// windows-1255 (Hebrew).
    case windows1255 = "windows-1255"
    /// windows-1256 (Arabic).
    case windows1256 = "windows-1256"
    /// windows-1257 (Baltic languages).
    case windows1257 = "windows-1257"
    /// windows-1258 (Vietnamese).
    case windows1258 = "windows-1258"
    /// KOI8-R (Russian).
    case koi8R = "KOI8-R"
    /// KOI8-U (Ukrainian).
    case koi8U = "KOI8-U"
    /// IBM866 (Cyrillic of DOS).
    case ibm866 = "IBM866"
    /// macintosh (Western Europe, Mac OS Roman).
    case macintosh
    /// x-mac-cyrillic (Cyrillic of Mac OS), with the Ukrainian letters.
    case macCyrillic = "x-mac-cyrillic"
    /// Shift_JIS (Japanese) with Microsoft's extensions.
    case shiftJIS = "Shift_JIS"
    /// EUC-JP (Japanese) with the extensions of NEC and Microsoft.
    case eucJP = "EUC-JP"
    /// ISO-2022-JP (Japanese in seven bits, RFC 1468) with half-width katakana.
    case iso2022JP = "ISO-2022-JP"
    /// GBK (simplified Chinese), also for GB 2312; decoded as its superset GB 18030, and the byte 0x80 as the euro
    /// sign, as browsers do.
    case gbk = "GBK"
    /// GB 18030 (Chinese, all of Unicode); the byte 0x80 is the euro sign.
    case gb18030 = "gb18030"
    /// Big5 (traditional Chinese) with the extensions of Hong Kong and the symbols of Microsoft's code page 950.
    case big5 = "Big5"
    /// EUC-KR (Korean) with Microsoft's extensions.
    case eucKR = "EUC-KR"

    /// Creates the encoding with this label; nil if the label is unknown.
    ///
    /// - Parameter label: The label, which is case-insensitive, for example `utf-8`, `latin1` or `sjis`; surrounding
    ///   ASCII white space is ignored.
    public init?(named label: String) {
        let bytes = label.utf8.map(\.asciiLowercased)
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) && $0 != 0x0B }
        let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard let charset = Self.labels[String(decoding: trimmed, as: UTF8.self)] else { return nil }
        self = charset
    }

    /// The preferred name, for example `UTF-8`.
    public var name: String { self.rawValue }

    /// Whether text in this encoding can be decoded on this system.
    ///
    /// True for Unicode, ASCII, ISO-8859-1, windows-1252 and those of Mac OS. The others need the C library's tables, which some minimal
    /// images lack; on Fedora they are in the package `glibc-gconv-extra`.
    public var isAvailable: Bool { CharsetConverter.names(of: self) == nil || CharsetConverter(self) != nil }

    /// Decodes bytes; returns nil if they are invalid in this encoding, or if it is not available on this system.
    ///
    /// Invalid bytes are never replaced.
    ///
    /// - Parameter data: The bytes.
    /// - Returns: The text, of at most three bytes of UTF-8 for each input byte.
    public func decode(_ data: Data) -> String? { data.withUnsafeBytes { self.decode($0) } }
}
