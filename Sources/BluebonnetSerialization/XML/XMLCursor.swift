// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A position in an XML document, with the operations shared by the XML parsers.
///
/// No byte past the end is read.
struct XMLCursor {
    /// The document: UTF-8, possibly invalid.
    let bytes: UnsafeRawBufferPointer

    /// The position of the next byte.
    var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte; nil at the end.
    var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    var isAtEnd: Bool { self.position == self.bytes.count }

    /// The line and column, for error messages.
    var place: String {
        let place = TextPlace(of: self.position, in: self.bytes, mark: 0, original: nil)
        return "line \(place.line), column \(place.column)"
    }

    /// Whether the byte is white space (XML 1.0 section 2.3).
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Skips white space.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = self.position
        while let byte = self.next, Self.isSpace(byte) { self.position += 1 }
        return self.position > start
    }

    /// Skips a text if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard self.position + text.utf8CodeUnitCount <= self.bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where self.bytes[self.position + offset] != text.utf8Start[offset] {
            return false
        }
        self.position += text.utf8CodeUnitCount
        return true
    }

    /// Advances past the next occurrence of a text; to the end of the document if there is none.
    ///
    /// - Returns: The range before the text; nil if it does not occur.
    mutating func skip(past end: StaticString) -> Range<Int>? {
        let start = self.position
        while self.position < self.bytes.count {
            let found = self.position
            if self.skip(end) { return start..<found }
            self.position += 1
        }
        return nil
    }

    /// Skips a quotation mark if one comes next, and returns it.
    mutating func skipQuote() -> UInt8? {
        guard let quote = self.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        self.position += 1
        return quote
    }

    /// Skips a name (XML 1.0 section 2.3).
    ///
    /// - Returns: The range of the name; nil if there is none.
    mutating func skipName() -> Range<Int>? {
        let start = self.position
        while let byte = self.next {
            if byte < 0x80 {
                guard XMLName.isPart(byte, isFirst: self.position == start) else { break }
                self.position += 1
            } else {
                let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                let end = min(self.position + length, self.bytes.count)
                guard
                    let scalar = String(decoding: self.bytes[self.position..<end], as: UTF8.self).unicodeScalars.first,
                    XMLName.isPart(scalar, isFirst: self.position == start)
                else { break }
                self.position = end
            }
        }
        return self.position > start ? start..<self.position : nil
    }

    /// Returns the bytes of a range as text.
    func text(_ range: Range<Int>) -> String { String(decoding: self.bytes[range], as: UTF8.self) }
}
