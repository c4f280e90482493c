// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Receives the events of ``XMLReader``, in document order.
protocol XMLReaderSink: SendableMetatype {
    /// An element starts. Names and values are ranges of the document; values are checked but not decoded.
    ///
    /// - Throws: The problem of a tag that is malformed after all.
    mutating func startElement(_ tag: XMLTag, in cursor: XMLCursor) throws(XMLProblem)

    /// The innermost element ends.
    mutating func endElement()

    /// Text inside an element; references are checked but not decoded. A CDATA section has no references.
    mutating func text(_ range: Range<Int>, isLiteral: Bool, in cursor: XMLCursor)

    /// A comment, inside or outside the document element.
    mutating func comment(_ range: Range<Int>, in cursor: XMLCursor)

    /// A processing instruction, inside or outside the document element.
    mutating func instruction(target: Range<Int>, content: Range<Int>, in cursor: XMLCursor)
}

/// The start tag of an element.
struct XMLTag {
    struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
    }

    var name: Range<Int>
    var attributes: [Attribute] = []
}

/// A short description of a problem in a document.
struct XMLProblem: Error {
    var text: String

    init(_ text: String) { self.text = text }
}

/// Parses UTF-8 text as a well-formed XML 1.0 document without entity declarations.
struct XMLReader<Sink: XMLReaderSink> {
    var sink: Sink
    var cursor: XMLCursor
    /// The end of the XML declaration; 0 if there is none.
    var declarationEnd = 0
    private let limits: ParsingLimits
    private var pieceCount = 0
    /// The open elements, outermost first.
    private var open: [OpenElement] = []
    /// The number of namespace declarations in scope.
    private var declarationCount = 0

    private struct OpenElement {
        /// The range of the name.
        var name: Range<Int>
        /// The number of namespaces that the tag declares.
        var declarationCount: Int
    }

    /// - Parameters:
    ///   - bytes: The document, valid UTF-8 without a byte order mark.
    ///   - limits: The limits beyond which it is refused.
    ///   - sink: Receives the events.
    init(bytes: UnsafeRawBufferPointer, limits: ParsingLimits, sink: Sink) {
        self.cursor = XMLCursor(bytes)
        self.limits = limits
        self.sink = sink
    }

    /// Parses the whole document.
    mutating func read() throws(SerializationError) {
        try self.checkCharacters()
        try self.readDeclaration()
        try self.readMiscellaneous()
        if self.cursor.skip("<!DOCTYPE") {
            try self.readDocumentType()
            try self.readMiscellaneous()
        }
        guard self.cursor.next == UInt8(ascii: "<") else { throw self.malformed("expected the first tag") }
        repeat { try self.readContent() } while !self.open.isEmpty
        try self.readMiscellaneous()
        guard self.cursor.isAtEnd else { throw self.malformed("something follows the document") }
    }

    /// Checks the characters (XML 1.0 section 2.2): no control characters but tab and line breaks, no U+FFFE and
    /// U+FFFF.
    private mutating func checkCharacters() throws(SerializationError) {
        let bytes = self.cursor.bytes
        for position in bytes.indices {
            let byte = bytes[position]
            let isControl = byte < 0x20 && !XMLCursor.isSpace(byte)
            let isNoncharacter =
                byte == 0xEF && position + 2 < bytes.count && bytes[position + 1] == 0xBF && bytes[position + 2] >= 0xBE
            if isControl || isNoncharacter {
                self.cursor.position = position
                throw self.malformed("a character that XML does not allow")
            }
        }
    }

    /// Counts a piece that takes memory in a tree.
    private mutating func countPiece() throws(SerializationError) {
        self.pieceCount += 1
        guard self.pieceCount <= self.limits.elementCount else {
            throw self.exceeded(
                "holds more than \(self.limits.elementCount) elements, attributes, texts and comments, the limit of ParsingLimits.elementCount"
            )
        }
    }

    /// Parses one tag, comment, instruction, section or run of text.
    private mutating func readContent() throws(SerializationError) {
        if self.cursor.next != UInt8(ascii: "<") {
            try self.countPiece()
            return try self.readText()
        }
        if self.cursor.skip("</") { return try self.readEndTag() }
        try self.countPiece()
        if self.cursor.skip("<!--") {
            try self.readComment()
        } else if self.cursor.skip("<![CDATA[") {
            let range = try self.skip(past: "]]>", "a CDATA section without an end")
            self.sink.text(range, isLiteral: true, in: self.cursor)
        } else if self.cursor.skip("<?") {
            try self.readInstruction()
        } else {
            self.cursor.position += 1
            try self.readStartTag()
        }
    }

    private mutating func readStartTag() throws(SerializationError) {
        var tag = XMLTag(name: try self.readName())
        var names: Set<BytewiseString> = []
        var declarations = 0
        while true {
            let hasSpace = self.cursor.skipSpace()
            if self.cursor.skip("/>") {
                try self.begin(tag)
                return self.sink.endElement()
            }
            if self.cursor.skip(">") { break }
            guard hasSpace else { throw self.malformed("expected the end of the tag") }
            let attribute = try self.readAttribute()
            try self.countPiece()
            guard names.insert(BytewiseString(self.cursor.text(attribute.name))).inserted else {
                throw self.malformed("an attribute that is there twice")
            }
            tag.attributes.append(attribute)
            if self.isDeclaration(attribute) { declarations += 1 }
            try self.checkAttributes(tag.attributes.count, declarations)
        }
        self.declarationCount += declarations
        self.open.append(OpenElement(name: tag.name, declarationCount: declarations))
        guard self.open.count <= self.limits.effectiveDepth else {
            throw self.exceeded(
                "nests deeper than \(self.limits.effectiveDepth) levels, the limit of ParsingLimits.depth"
            )
        }
        try self.begin(tag)
    }

    /// Checks the limit of a tag's attributes, and of namespace declarations in scope.
    private func checkAttributes(_ count: Int, _ declarations: Int) throws(SerializationError) {
        let limit = self.limits.attributeCount
        guard count <= limit else {
            throw self.exceeded(
                "has an element with more than \(limit) attributes, the limit of ParsingLimits.attributeCount"
            )
        }
        guard self.declarationCount + declarations <= limit else {
            throw self.exceeded(
                "has more than \(limit) namespace declarations in scope, the limit of ParsingLimits.attributeCount"
            )
        }
    }

    /// Whether an attribute declares a namespace: `xmlns` or `xmlns:…` (Namespaces in XML 1.0 section 3).
    private func isDeclaration(_ attribute: XMLTag.Attribute) -> Bool {
        let name = self.cursor.bytes[attribute.name]
        return name.starts(with: "xmlns".utf8) && (name.count == 5 || name[name.startIndex + 5] == UInt8(ascii: ":"))
    }

    private mutating func begin(_ tag: XMLTag) throws(SerializationError) {
        do throws(XMLProblem) {
            try self.sink.startElement(tag, in: self.cursor)
        } catch {
            throw self.malformed(error.text)
        }
    }

    private mutating func readEndTag() throws(SerializationError) {
        let name = try self.readName()
        self.cursor.skipSpace()
        guard self.cursor.skip(">") else { throw self.malformed("expected the end of the tag") }
        guard let element = self.open.popLast(),
            self.cursor.bytes[element.name].elementsEqual(self.cursor.bytes[name])
        else { throw self.malformed("a closing tag that closes nothing") }
        self.declarationCount -= element.declarationCount
        self.sink.endElement()
    }

    private mutating func readAttribute() throws(SerializationError) -> XMLTag.Attribute {
        let name = try self.readName()
        self.cursor.skipSpace()
        guard self.cursor.skip("=") else { throw self.malformed("an attribute without a value") }
        self.cursor.skipSpace()
        guard let quote = self.cursor.skipQuote() else { throw self.malformed("an attribute without quotes") }
        let start = self.cursor.position
        while let byte = self.cursor.next, byte != quote {
            if byte == UInt8(ascii: "<") { throw self.malformed("a tag inside an attribute") }
            if byte == UInt8(ascii: "&") { try self.checkReference() } else { self.cursor.position += 1 }
        }
        let end = self.cursor.position
        guard self.cursor.skipQuote() != nil else { throw self.malformed("an attribute without an end") }
        return XMLTag.Attribute(name: name, value: start..<end)
    }

    private mutating func readText() throws(SerializationError) {
        let start = self.cursor.position
        while let byte = self.cursor.next, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                try self.checkReference()
            } else if byte == UInt8(ascii: "]"), self.cursor.skip("]]>") {
                throw self.malformed("the end of a CDATA section that did not begin")
            } else {
                self.cursor.position += 1
            }
        }
        guard self.cursor.next != nil else { throw self.malformed("the document ends inside an element") }
        self.sink.text(start..<self.cursor.position, isLiteral: false, in: self.cursor)
    }

    private mutating func checkReference() throws(SerializationError) {
        do throws(XMLReference.Fault) {
            _ = try XMLReference.read(&self.cursor)
        } catch {
            throw self.malformed(error.problem)
        }
    }
}
