// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// A decoder for text that arrives in pieces, which does not split a character that spans two of them.
struct TextStream {
    /// The most bytes of a multi-byte charset that are buffered until a line ends: 64 KiB.
    private static let longestLine = 64 * 1024

    /// The most bytes of ISO-2022-JP that are buffered until the text returns to ASCII: 1 MiB.
    private static let longestShift = 1024 * 1024

    /// The most bytes of a character.
    private static let longestCharacter = 4

    /// The charset of the bytes; for UTF-16 and UTF-32, the byte order is added once it is known.
    private(set) var charset: Charset

    private var rest: [UInt8] = []
    /// Whether the previous text ended with a carriage return, which is kept together with a following line feed.
    private var endsWithReturn = false

    init(charset: Charset = .utf8) {
        self.charset = charset
    }

    /// Decodes the next bytes, up to the last complete character.
    mutating func text(of bytes: UnsafeRawBufferPointer) -> String {
        self.rest.append(contentsOf: bytes)
        self.readByteOrder()
        let end = self.completeCount
        defer { self.rest.removeFirst(end) }
        return self.holdingReturn(self.decoded(self.rest[..<end]))
    }

    /// Decodes the remaining bytes; an incomplete character becomes U+FFFD.
    mutating func finish() -> String {
        defer {
            self.rest = []
            self.endsWithReturn = false
        }
        let end = self.decodableCount ?? self.rest.count
        let text = self.decoded(self.rest[..<end]) + (end < self.rest.count ? "\u{FFFD}" : "")
        return (self.endsWithReturn ? "\r" : "") + text
    }

    private mutating func holdingReturn(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        var scalars = text.unicodeScalars
        if self.endsWithReturn { scalars.insert("\r", at: scalars.startIndex) }
        // Characters: these are scalars.
        self.endsWithReturn = scalars.last == "\r"
        if self.endsWithReturn { scalars.removeLast() }
        return String(scalars)
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        if self.charset != .utf8, let text = self.charset.decode(Data(bytes)) { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a byte order mark (RFC 2781 section 3.2); the default is big-endian.
    private mutating func readByteOrder() {
        let size = self.charset == .utf16 ? 2 : self.charset == .utf32 ? 4 : 0
        guard size > 0, self.rest.count >= size else { return }
        let mark = Array(self.rest.prefix(size))
        let isLittleEndian = mark == (size == 2 ? [0xFF, 0xFE] : [0xFF, 0xFE, 0, 0])
        if isLittleEndian || mark == (size == 2 ? [0xFE, 0xFF] : [0, 0, 0xFE, 0xFF]) { self.rest.removeFirst(size) }
        switch (size, isLittleEndian) {
        case (2, false): self.charset = .utf16BigEndian
        case (2, true): self.charset = .utf16LittleEndian
        case (_, false): self.charset = .utf32BigEndian
        case (_, true): self.charset = .utf32LittleEndian
        }
    }

    /// The number of leading bytes that are complete characters.
    private var completeCount: Int {
        let count = self.rest.count
        switch self.charset {
        case .utf8:
            return count - Self.incompleteSuffix(of: self.rest)
        case .utf16, .utf32:
            return 0
        case .utf16BigEndian, .utf16LittleEndian:
            let even = count & ~1
            guard even > 0 else { return 0 }
            // A high surrogate is incomplete without the low one.
            let high = self.rest[self.charset == .utf16BigEndian ? even - 2 : even - 1]
            return high & 0xFC == 0xD8 ? even - 2 : even
        case .utf32BigEndian, .utf32LittleEndian:
            return count & ~3
        case .iso8859Part1, .windows1252:
            return count
        default:
            // In every other charset, the end of a line is the end of a character.
            if let end = self.rest.lastIndex(of: 0x0A) { return end + 1 }
            guard count > Self.longestLine else { return 0 }
            return self.charset == .iso2022JP ? self.unshiftedCount : self.decodableCount ?? count
        }
    }

    /// The number of leading bytes that can be decoded, of which at most one character is missing; nil if the text is invalid.
    ///
    /// The bytes begin with a character, so what can be decoded ends with one.
    private var decodableCount: Int? {
        let count = self.rest.count
        return (max(count - Self.longestCharacter + 1, 0)...count).last { end in
            self.charset.decode(Data(self.rest[..<end])) != nil
        }
    }

    /// The number of leading bytes of ISO-2022-JP up to the last place at which the text is in ASCII, as at its start:
    /// what follows can then be decoded without them.
    private var unshiftedCount: Int {
        let escape: UInt8 = 0x1B
        let toASCII: [UInt8] = [escape, UInt8(ascii: "("), UInt8(ascii: "B")]
        guard let first = self.rest.firstIndex(of: escape) else { return self.rest.count }
        var last = self.rest.lastIndex(of: escape) ?? first
        if self.rest[last...].starts(with: toASCII) { return self.rest.count }
        // Before another escape sequence, the text is in ASCII if the sequence before that says so.
        while last > first, let previous = self.rest[..<last].lastIndex(of: escape) {
            if self.rest[previous...].starts(with: toASCII) { return last }
            last = previous
        }
        return first > 0 ? first : self.rest.count > Self.longestShift ? self.rest.count : 0
    }

    /// Returns the number of trailing bytes that may begin a UTF-8 character.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length < needed ? length : 0
        }
        return 0
    }
}
