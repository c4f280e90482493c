// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Checks an XML document strictly, before a lenient parser parses it.
package enum XMLPreparation {
    /// Checks a document and converts it to UTF-8.
    ///
    /// The result has no byte order mark, and spaces in place of its XML declaration, so that lines and columns do not
    /// change and every parser decodes it as UTF-8, whatever the declaration was.
    ///
    /// - Parameters:
    ///   - data: The received document.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The same document in UTF-8.
    /// - Throws: ``SerializationError`` with code `malformedBody`, `limitExceeded` or `unsupportedCharset`.
    package static func prepare(_ data: Data, limits: ParsingLimits) throws(SerializationError) -> Data {
        var bytes = try Self.utf8(of: data, limits: limits)
        let reader = try bytes.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                var reader = XMLReader(bytes: bytes, limits: limits, sink: EmptyInstructions())
                try reader.read()
                return reader
            }
        }.get()
        for position in 0..<reader.declarationEnd where bytes[position] != 0x0A && bytes[position] != 0x0D {
            bytes[position] = 0x20
        }
        return Self.separating(reader.sink.ends, in: bytes)
    }

    /// Returns the document in UTF-8, without a byte order mark.
    static func utf8(of data: Data, limits: ParsingLimits) throws(SerializationError) -> [UInt8] {
        try limits.check(byteCount: data.count, of: "XML")
        return try data.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                try Self.utf8(of: bytes, in: try Self.charset(of: bytes))
            }
        }.get()
    }

    /// Returns the document in UTF-8, converted from an encoding.
    static func utf8(
        of bytes: UnsafeRawBufferPointer,
        in charset: Charset
    ) throws(SerializationError) -> [UInt8] {
        guard let text = charset.decode(bytes) else {
            guard charset.isAvailable else {
                throw SerializationError(
                    .unsupportedCharset,
                    reason:
                        "the C library of this system has no table for \(charset.name), the XML document's encoding"
                )
            }
            throw SerializationError(.malformedBody, reason: "the XML document is not valid \(charset.name)")
        }
        return Array(text.utf8)
    }

    /// Returns the document with a space inserted at each of the positions.
    private static func separating(_ positions: [Int], in bytes: [UInt8]) -> Data {
        var result = Data(capacity: bytes.count + positions.count)
        var start = 0
        for position in positions {
            result.append(contentsOf: bytes[start..<position])
            result.append(0x20)
            start = position
        }
        result.append(contentsOf: bytes[start...])
        return result
    }

    /// Returns the encoding: that of a byte order mark or of zero bytes, otherwise the declared one, otherwise UTF-8
    /// (XML 1.0 appendix F).
    static func charset(of bytes: UnsafeRawBufferPointer) throws(SerializationError) -> Charset {
        if let encoding = UnicodeDetector.detect(bytes) { return encoding.charset }
        guard let name = Self.declaredEncoding(of: bytes) else { return .utf8 }
        guard let charset = Charset(named: name) else {
            throw SerializationError(
                .unsupportedCharset,
                reason: "the XML document is in an encoding that is not known"
            )
        }
        return charset
    }

    /// Returns the encoding name in the XML declaration; nil if there is none.
    private static func declaredEncoding(of bytes: UnsafeRawBufferPointer) -> String? {
        var cursor = XMLCursor(UnsafeRawBufferPointer(rebasing: bytes.prefix(1_024)))
        guard cursor.skip("<?xml"), cursor.skipSpace(), cursor.skip("version"), Self.skipValue(&cursor) != nil,
            cursor.skipSpace(), cursor.skip("encoding"), let name = Self.skipValue(&cursor)
        else { return nil }
        return cursor.text(name)
    }

    /// Skips `="…"`, and returns the range of the value.
    private static func skipValue(_ cursor: inout XMLCursor) -> Range<Int>? {
        cursor.skipSpace()
        guard cursor.skip("=") else { return nil }
        cursor.skipSpace()
        switch cursor.skipQuote() {
        case UInt8(ascii: "\""): return cursor.skip(past: "\"")
        case .some: return cursor.skip(past: "'")
        case nil: return nil
        }
    }
}

/// The ends of processing instructions without content: Foundation's parser on Linux stops the process at such an
/// instruction.
private struct EmptyInstructions: XMLReaderSink {
    private(set) var ends: [Int] = []

    mutating func startElement(_ tag: XMLTag, in cursor: XMLCursor) {}

    mutating func endElement() {}

    mutating func text(_ range: Range<Int>, isLiteral: Bool, in cursor: XMLCursor) {}

    mutating func comment(_ range: Range<Int>, in cursor: XMLCursor) {}

    mutating func instruction(target: Range<Int>, content: Range<Int>, in cursor: XMLCursor) {
        if content.isEmpty, content.lowerBound == target.upperBound { self.ends.append(content.lowerBound) }
    }
}
