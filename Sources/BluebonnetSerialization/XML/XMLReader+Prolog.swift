// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The parts of a document outside the document element: declaration, document type, comments and instructions.
extension XMLReader {
    /// Parses the XML declaration (XML 1.0 section 2.8): a version, which is required, then an encoding and a
    /// standalone declaration.
    mutating func readDeclaration() throws(SerializationError) {
        let start = self.cursor
        guard self.cursor.skip("<?xml") else { return }
        // A longer name, such as xml-stylesheet, is that of an instruction.
        if let next = self.cursor.next, next != UInt8(ascii: "?"), !XMLCursor.isSpace(next) {
            self.cursor = start
            return
        }
        guard try self.readDeclared("version", isLegal: Self.isVersion) else {
            throw self.malformed("an XML declaration without a version")
        }
        _ = try self.readDeclared("encoding", isLegal: Self.isEncodingName)
        _ = try self.readDeclared("standalone") { $0 == "yes" || $0 == "no" }
        self.cursor.skipSpace()
        guard self.cursor.skip("?>") else { throw self.malformed("an XML declaration with something else in it") }
        self.declarationEnd = self.cursor.position
    }

    /// Parses one part of the XML declaration.
    ///
    /// - Returns: False if it is absent.
    private mutating func readDeclared(
        _ name: StaticString,
        isLegal: (String) -> Bool
    ) throws(SerializationError) -> Bool {
        let start = self.cursor
        guard self.cursor.skipSpace(), self.cursor.skip(name) else {
            self.cursor = start
            return false
        }
        self.cursor.skipSpace()
        guard self.cursor.skip("=") else { throw self.malformed("\(name) without a value") }
        self.cursor.skipSpace()
        guard let value = try self.readQuoted(), isLegal(self.cursor.text(value)) else {
            throw self.malformed("\(name) with a value that it cannot have")
        }
        return true
    }

    /// `1.` and digits: an XML 1.0 parser accepts all such versions (fifth edition, section 2.8).
    private static func isVersion(_ text: String) -> Bool {
        text.utf8.starts(with: "1.".utf8) && text.utf8.count > 2
            && text.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit)
    }

    private static func isEncodingName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { $0 != UInt8(ascii: ":") && XMLName.isPart($0, isFirst: false) }
    }

    mutating func readMiscellaneous() throws(SerializationError) {
        while true {
            self.cursor.skipSpace()
            if self.cursor.skip("<!--") {
                try self.readComment()
            } else if self.cursor.skip("<?") {
                try self.readInstruction()
            } else {
                return
            }
        }
    }

    /// Parses a document type: it may name an external subset, which is never loaded, but may not contain declarations.
    mutating func readDocumentType() throws(SerializationError) {
        guard self.cursor.skipSpace() else { throw self.malformed("expected the document type's name") }
        _ = try self.readName()
        if self.cursor.skipSpace() {
            if self.cursor.skip("PUBLIC") {
                try self.readExternalIdentifier(isPublic: true)
            } else if self.cursor.skip("SYSTEM") {
                try self.readExternalIdentifier(isPublic: false)
            }
        }
        self.cursor.skipSpace()
        if self.cursor.next == UInt8(ascii: "[") {
            throw self.malformed(
                "a document type that declares something, which is refused because of entity attacks"
            )
        }
        guard self.cursor.skip(">") else { throw self.malformed("a document type without an end") }
    }

    /// Parses an external identifier (XML 1.0 section 4.2.2).
    private mutating func readExternalIdentifier(isPublic: Bool) throws(SerializationError) {
        for isPublicLiteral in isPublic ? [true, false] : [false] {
            guard self.cursor.skipSpace(), let range = try self.readQuoted() else {
                throw self.malformed("a document type without an identifier in quotes")
            }
            guard !isPublicLiteral || self.cursor.bytes[range].allSatisfy(Self.isPublicIdentifierByte) else {
                throw self.malformed("a public identifier with a character that it cannot have")
            }
        }
    }

    private static func isPublicIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x0D, 0x0A, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-'()+,./:=?;!*#@$_%".utf8.contains(byte)
        }
    }

    mutating func readComment() throws(SerializationError) {
        let range = try self.skip(past: "--", "a comment without an end")
        guard self.cursor.skip(">") else { throw self.malformed("two hyphens inside a comment") }
        self.sink.comment(range, in: self.cursor)
    }

    mutating func readInstruction() throws(SerializationError) {
        let target = try self.readName()
        let name = self.cursor.text(target)
        guard !name.isASCIIWord("xml") else { throw self.malformed("an XML declaration that is not at the start") }
        guard !name.utf8.contains(UInt8(ascii: ":")) else {
            throw self.malformed("an instruction with a colon in its name")
        }
        if self.cursor.skip("?>") {
            let end = self.cursor.position - 2
            return self.sink.instruction(target: target, content: end..<end, in: self.cursor)
        }
        guard self.cursor.skipSpace() else {
            throw self.malformed("an instruction that is not separated from its name")
        }
        let content = try self.skip(past: "?>", "an instruction without an end")
        self.sink.instruction(target: target, content: content, in: self.cursor)
    }

    /// Parses a quoted literal; returns nil if none comes next.
    private mutating func readQuoted() throws(SerializationError) -> Range<Int>? {
        switch self.cursor.skipQuote() {
        case UInt8(ascii: "\""): try self.skip(past: "\"", "a literal without an end")
        case .some: try self.skip(past: "'", "a literal without an end")
        case nil: nil
        }
    }

    mutating func readName() throws(SerializationError) -> Range<Int> {
        guard let name = self.cursor.skipName() else { throw self.malformed("expected a name") }
        return name
    }

    mutating func skip(past end: StaticString, _ problem: String) throws(SerializationError) -> Range<Int> {
        guard let range = self.cursor.skip(past: end) else { throw self.malformed(problem) }
        return range
    }

    func malformed(_ problem: String) -> SerializationError {
        SerializationError(
            .malformedBody,
            reason: "the body is not well-formed XML: \(problem), \(self.cursor.place)"
        )
    }

    func exceeded(_ problem: String) -> SerializationError {
        SerializationError(.limitExceeded, reason: "the XML document \(problem)")
    }
}
