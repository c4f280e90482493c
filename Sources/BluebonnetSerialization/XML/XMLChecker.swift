// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Checks that UTF-8 text is a well-formed XML 1.0 document that declares no entities of its own.
struct XMLChecker {
    private let bytes: UnsafeRawBufferPointer
    private let limits: ParsingLimits
    private var position = 0
    private var elementCount = 0
    /// Where the names of the open elements are.
    private var open: [Range<Int>] = []
    private var findings = Findings()

    /// - Parameters:
    ///   - bytes: The document, valid UTF-8 without a byte order mark.
    ///   - limits: What it may not exceed.
    init(bytes: UnsafeRawBufferPointer, limits: ParsingLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// What a parser has to be protected from in a document that is well-formed.
    struct Findings {
        /// Where the XML declaration ends, 0 if there is none.
        var declarationEnd = 0
        /// Where processing instructions without content end; Foundation's parser on Linux stops the process at one.
        var emptyInstructions: [Int] = []
    }

    /// Checks a whole document.
    static func check(_ bytes: UnsafeRawBufferPointer, limits: ParsingLimits) throws(SerializationError) -> Findings {
        var checker = XMLChecker(bytes: bytes, limits: limits)
        try checker.checkDocument()
        return checker.findings
    }

    private mutating func checkDocument() throws(SerializationError) {
        try self.checkCharacters()
        self.findings.declarationEnd = try self.skipDeclaration()
        try self.skipMiscellaneous()
        if self.skip("<!DOCTYPE") {
            try self.skipDocumentType()
            try self.skipMiscellaneous()
        }
        guard self.next == UInt8(ascii: "<") else { throw self.malformed("expected the first tag") }
        repeat { try self.checkContent() } while !self.open.isEmpty
        try self.skipMiscellaneous()
        guard self.position == self.bytes.count else { throw self.malformed("something follows the document") }
    }

    /// XML 1.0 section 2.2: no control characters but tab and line breaks, and no U+FFFE and U+FFFF.
    private mutating func checkCharacters() throws(SerializationError) {
        for position in self.bytes.indices {
            let byte = self.bytes[position]
            let isControl = byte < 0x20 && !XMLScanner.isSpace(byte)
            let isNoncharacter =
                byte == 0xEF && position + 2 < self.bytes.count && self.bytes[position + 1] == 0xBF
                && self.bytes[position + 2] >= 0xBE
            if isControl || isNoncharacter {
                self.position = position
                throw self.malformed("a character that XML does not allow")
            }
        }
    }

    /// Reads one tag, comment, instruction, section or run of text.
    private mutating func checkContent() throws(SerializationError) {
        if self.next != UInt8(ascii: "<") { return try self.checkText() }
        if self.skip("</") {
            try self.checkEndTag()
        } else if self.skip("<!--") {
            try self.skipComment()
        } else if self.skip("<![CDATA[") {
            try self.skip(past: "]]>", "a CDATA section without an end")
        } else if self.skip("<?") {
            try self.skipInstruction()
        } else {
            self.position += 1
            try self.checkStartTag()
        }
    }

    private mutating func checkStartTag() throws(SerializationError) {
        let name = try self.readName()
        self.elementCount += 1
        guard self.elementCount <= self.limits.elementCount else {
            throw self.exceeded(
                "holds more than \(self.limits.elementCount) elements, the limit of ParsingLimits.elementCount"
            )
        }
        var attributes: Set<JSONObjectKey> = []
        while true {
            let hasSpace = self.skipSpace()
            if self.skip("/>") { return }
            if self.skip(">") { break }
            guard hasSpace else { throw self.malformed("expected the end of the tag") }
            let attribute = try self.checkAttribute()
            guard attributes.insert(JSONObjectKey(name: attribute)).inserted else {
                throw self.malformed("an attribute that is there twice")
            }
        }
        self.open.append(name)
        guard self.open.count <= self.limits.effectiveDepth else {
            throw self.exceeded(
                "nests deeper than \(self.limits.effectiveDepth) levels, the limit of ParsingLimits.depth"
            )
        }
    }

    private mutating func checkEndTag() throws(SerializationError) {
        let name = try self.readName()
        self.skipSpace()
        guard self.skip(">") else { throw self.malformed("expected the end of the tag") }
        guard let expected = self.open.popLast(), self.bytes[expected].elementsEqual(self.bytes[name]) else {
            throw self.malformed("a closing tag that closes nothing")
        }
    }

    private mutating func checkAttribute() throws(SerializationError) -> String {
        let name = String(decoding: self.bytes[try self.readName()], as: UTF8.self)
        self.skipSpace()
        guard self.skip("=") else { throw self.malformed("an attribute without a value") }
        self.skipSpace()
        guard let quote = self.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw self.malformed("an attribute without quotes")
        }
        self.position += 1
        while let byte = self.next, byte != quote {
            if byte == UInt8(ascii: "<") { throw self.malformed("a tag inside an attribute") }
            if byte == UInt8(ascii: "&") { try self.checkReference() } else { self.position += 1 }
        }
        guard self.next == quote else { throw self.malformed("an attribute without an end") }
        self.position += 1
        return name
    }

    private mutating func checkText() throws(SerializationError) {
        while let byte = self.next, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                try self.checkReference()
            } else if byte == UInt8(ascii: "]"), self.skip("]]>") {
                throw self.malformed("the end of a CDATA section that did not begin")
            } else {
                self.position += 1
            }
        }
        guard self.next != nil else { throw self.malformed("the document ends inside an element") }
    }

    /// The five predefined entities and character references; there can be no others, because nothing may be declared.
    private mutating func checkReference() throws(SerializationError) {
        let window = self.bytes[self.position...].prefix(12)
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else {
            throw self.malformed("a reference without an end")
        }
        let name = String(decoding: self.bytes[(self.position + 1)..<end], as: UTF8.self)
        guard XMLScanner.replacement(for: name) != nil else {
            throw self.malformed("a reference to something that is not known")
        }
        self.position = end + 1
    }
}

// MARK: - Around the elements

extension XMLChecker {
    private mutating func skipDeclaration() throws(SerializationError) -> Int {
        guard self.skip("<?xml") else { return 0 }
        guard self.skipSpace(), self.skip("version") else {
            throw self.malformed("an XML declaration without a version")
        }
        try self.skip(past: "?>", "an XML declaration without an end")
        return self.position
    }

    private mutating func skipMiscellaneous() throws(SerializationError) {
        while true {
            self.skipSpace()
            if self.skip("<!--") {
                try self.skipComment()
            } else if self.skip("<?") {
                try self.skipInstruction()
            } else {
                return
            }
        }
    }

    /// A document type may name an external subset, which is never loaded; it may not declare anything itself.
    private mutating func skipDocumentType() throws(SerializationError) {
        guard self.skipSpace() else { throw self.malformed("expected the document type's name") }
        _ = try self.readName()
        while let byte = self.next {
            self.position += 1
            switch byte {
            case UInt8(ascii: ">"): return
            case UInt8(ascii: "\""): try self.skip(past: "\"", "a document type without an end")
            case UInt8(ascii: "'"): try self.skip(past: "'", "a document type without an end")
            case UInt8(ascii: "["):
                throw self.malformed(
                    "a document type that declares something, which is refused because of entity attacks"
                )
            case UInt8(ascii: "<"): throw self.malformed("a tag inside the document type")
            default: break
            }
        }
        throw self.malformed("a document type without an end")
    }

    private mutating func skipComment() throws(SerializationError) {
        try self.skip(past: "--", "a comment without an end")
        guard self.skip(">") else { throw self.malformed("two hyphens inside a comment") }
    }

    private mutating func skipInstruction() throws(SerializationError) {
        let target = String(decoding: self.bytes[try self.readName()], as: UTF8.self)
        guard target.lowercased() != "xml" else { throw self.malformed("an XML declaration that is not at the start") }
        if self.skip("?>") {
            self.findings.emptyInstructions.append(self.position - 2)
            return
        }
        guard self.skipSpace() else { throw self.malformed("an instruction that is not separated from its name") }
        try self.skip(past: "?>", "an instruction without an end")
    }
}

// MARK: - Bytes

extension XMLChecker {
    private func malformed(_ problem: String) -> SerializationError {
        let place = JSONPlace(of: self.position, in: self.bytes, mark: 0, original: nil)
        return SerializationError(
            .malformedBody,
            reason: "The body is not well-formed XML: \(problem), line \(place.line), column \(place.column)."
        )
    }

    private func exceeded(_ problem: String) -> SerializationError {
        SerializationError(.limitExceeded, reason: "The XML document \(problem).")
    }

    private var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = self.position
        while let byte = self.next, XMLScanner.isSpace(byte) { self.position += 1 }
        return self.position > start
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard self.position + text.utf8CodeUnitCount <= self.bytes.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount where self.bytes[self.position + offset] != text.utf8Start[offset] {
            return false
        }
        self.position += text.utf8CodeUnitCount
        return true
    }

    private mutating func skip(past end: StaticString, _ problem: String) throws(SerializationError) {
        while self.position < self.bytes.count {
            if self.skip(end) { return }
            self.position += 1
        }
        throw self.malformed(problem)
    }

    /// Reads a name (XML 1.0 section 2.3).
    private mutating func readName() throws(SerializationError) -> Range<Int> {
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
        guard self.position > start else { throw self.malformed("expected a name") }
        return start..<self.position
    }
}
