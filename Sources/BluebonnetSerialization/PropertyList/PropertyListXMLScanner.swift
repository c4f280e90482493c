// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Scans the parts of an XML document that property lists consist of: tags, text, comments and a document type without
/// declarations.
///
/// Nothing is loaded, and only the five predefined entities are supported.
struct PropertyListXMLScanner {
    /// A start tag, or an empty element; the attributes are skipped.
    struct StartTag {
        var name: String
        var isEmpty: Bool
    }

    private var cursor: XMLCursor

    init(bytes: UnsafeRawBufferPointer) {
        self.cursor = XMLCursor(bytes)
        _ = self.cursor.skip("\u{FEFF}")
    }

    var isAtEnd: Bool { self.cursor.isAtEnd }

    /// Whether a tag follows, after any white space.
    var isMarkup: Bool {
        var cursor = self.cursor
        cursor.skipSpace()
        return cursor.next == UInt8(ascii: "<")
    }

    func malformed(_ problem: String) -> SerializationError {
        PropertyListFault.malformed("\(problem), \(self.cursor.place)")
    }

    /// Skips the XML declaration, the document type and everything between them.
    mutating func skipProlog() throws(SerializationError) {
        try self.skipMiscellaneous()
        guard self.cursor.skip("<!DOCTYPE") else { return }
        while let byte = self.cursor.next {
            self.cursor.position += 1
            switch byte {
            case UInt8(ascii: ">"): return try self.skipMiscellaneous()
            case UInt8(ascii: "\""): try self.skip(past: "\"")
            case UInt8(ascii: "'"): try self.skip(past: "'")
            case UInt8(ascii: "["): throw self.malformed("a document type that declares something")
            default: break
            }
        }
        throw self.malformed("a document type without an end")
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipMiscellaneous() throws(SerializationError) {
        while true {
            self.cursor.skipSpace()
            if self.cursor.skip("<!--") {
                try self.skip(past: "-->")
            } else if self.cursor.skip("<?") {
                try self.skip(past: "?>")
            } else {
                return
            }
        }
    }

    /// Whether an end tag comes next.
    var isAtEndTag: Bool {
        var cursor = self.cursor
        return cursor.skip("</")
    }

    /// Reads a start tag; returns nil if an end tag comes next.
    mutating func readStartTag() throws(SerializationError) -> StartTag? {
        if self.isAtEndTag { return nil }
        guard self.cursor.skip("<") else { throw self.malformed("expected a tag") }
        let name = try self.readName()
        while true {
            let hasSpace = self.cursor.skipSpace()
            if self.cursor.skip(">") { return StartTag(name: name, isEmpty: false) }
            if self.cursor.skip("/>") { return StartTag(name: name, isEmpty: true) }
            guard hasSpace else { throw self.malformed("expected the end of the tag") }
            try self.skipAttribute()
        }
    }

    mutating func readEndTag(_ name: String) throws(SerializationError) {
        guard self.cursor.skip("</"), BytewiseString.areEqual(try self.readName(), name) else {
            throw self.malformed("expected </\(name)>")
        }
        self.cursor.skipSpace()
        guard self.cursor.skip(">") else { throw self.malformed("expected </\(name)>") }
    }

    /// Reads text up to the next tag, with references decoded and line breaks normalized to LF (XML 1.0 section 2.11).
    mutating func readText() throws(SerializationError) -> String {
        var text: [UInt8] = []
        while let byte = self.cursor.next {
            switch byte {
            case UInt8(ascii: "&"):
                text.append(contentsOf: UTF8.encode(try self.readReference()) ?? UTF8.encodedReplacementCharacter)
            case UInt8(ascii: "<"):
                if self.cursor.skip("<![CDATA[") {
                    try self.readCharacterData(into: &text)
                } else if self.cursor.skip("<!--") {
                    try self.skip(past: "-->")
                } else {
                    guard let string = String(validating: text, as: UTF8.self) else {
                        throw self.malformed("text that is not UTF-8")
                    }
                    return string
                }
            default: try self.readCharacter(byte, into: &text)
            }
        }
        throw self.malformed("text without an end")
    }

    private mutating func readCharacterData(into text: inout [UInt8]) throws(SerializationError) {
        while let byte = self.cursor.next {
            if self.cursor.skip("]]>") { return }
            try self.readCharacter(byte, into: &text)
        }
        throw self.malformed("a CDATA section without an end")
    }

    private mutating func readCharacter(_ byte: UInt8, into text: inout [UInt8]) throws(SerializationError) {
        guard byte >= 0x20 || XMLCursor.isSpace(byte) else { throw self.malformed("a control character") }
        self.cursor.position += 1
        if byte == 0x0D {
            _ = self.cursor.skip("\n")
            text.append(0x0A)
        } else {
            text.append(byte)
        }
    }

    private mutating func readReference() throws(SerializationError) -> Unicode.Scalar {
        do throws(XMLReference.Fault) {
            return try XMLReference.read(&self.cursor)
        } catch {
            throw self.malformed(error.problem)
        }
    }

    private mutating func skipAttribute() throws(SerializationError) {
        _ = try self.readName()
        self.cursor.skipSpace()
        guard self.cursor.skip("=") else { throw self.malformed("an attribute without a value") }
        self.cursor.skipSpace()
        guard let quote = self.cursor.skipQuote() else { throw self.malformed("an attribute without quotes") }
        while let byte = self.cursor.next, byte != quote {
            guard byte != UInt8(ascii: "<") else { throw self.malformed("a tag inside an attribute") }
            self.cursor.position += 1
        }
        guard self.cursor.skipQuote() != nil else { throw self.malformed("an attribute without an end") }
    }

    private mutating func readName() throws(SerializationError) -> String {
        guard let name = self.cursor.skipName() else { throw self.malformed("expected a name") }
        return self.cursor.text(name)
    }

    private mutating func skip(past end: StaticString) throws(SerializationError) {
        guard self.cursor.skip(past: end) != nil else { throw self.malformed("something without an end") }
    }
}
