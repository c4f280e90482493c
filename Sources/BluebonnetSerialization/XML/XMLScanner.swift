// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the pieces of an XML document that property lists are made of: tags, text, comments and a document type
/// without declarations.
///
/// Nothing is ever loaded, and no entity but the five predefined ones is known (XML 1.0 section 4.6).
struct XMLScanner {
    /// An opening tag, or an empty element; the attributes are passed over.
    struct StartTag {
        var name: String
        var isEmpty: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        self.position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    var isAtEnd: Bool { self.position == self.bytes.count }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    func malformed(_ problem: String) -> SerializationError {
        let place = JSONPlace(of: self.position, in: self.bytes, mark: 0, original: nil)
        return PropertyListFault.malformed("\(problem), line \(place.line), column \(place.column)")
    }

    /// Passes the XML declaration, the document type and whatever stands between them.
    mutating func skipProlog() throws(SerializationError) {
        try self.skipMiscellaneous()
        guard self.skip("<!DOCTYPE") else { return }
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: ">"):
                self.position += 1
                return try self.skipMiscellaneous()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                self.position += 1
                try self.skip(past: [byte])
            case UInt8(ascii: "["): throw self.malformed("a document type that declares something")
            default: self.position += 1
            }
        }
        throw self.malformed("a document type without an end")
    }

    /// Passes white space, comments and processing instructions.
    mutating func skipMiscellaneous() throws(SerializationError) {
        while true {
            self.skipSpace()
            if self.skip("<!--") {
                try self.skip(past: Array("-->".utf8))
            } else if self.skip("<?") {
                try self.skip(past: Array("?>".utf8))
            } else {
                return
            }
        }
    }

    /// Whether a closing tag comes next.
    var isAtEndTag: Bool {
        self.next == UInt8(ascii: "<") && self.position + 1 < self.bytes.count
            && self.bytes[self.position + 1] == UInt8(ascii: "/")
    }

    /// Reads an opening tag; nil if a closing tag comes next.
    mutating func readStartTag() throws(SerializationError) -> StartTag? {
        guard self.next == UInt8(ascii: "<") else { throw self.malformed("expected a tag") }
        if self.isAtEndTag { return nil }
        self.position += 1
        let name = try self.readName()
        while true {
            let hasSpace = self.skipSpace()
            if self.skip(">") { return StartTag(name: name, isEmpty: false) }
            if self.skip("/>") { return StartTag(name: name, isEmpty: true) }
            guard hasSpace else { throw self.malformed("expected the end of the tag") }
            try self.skipAttribute()
        }
    }

    mutating func readEndTag(_ name: String) throws(SerializationError) {
        guard self.skip("</"), try self.readName() == name else { throw self.malformed("expected </\(name)>") }
        self.skipSpace()
        guard self.skip(">") else { throw self.malformed("expected </\(name)>") }
    }

    /// Reads text up to the next tag, with references replaced and line breaks made LF (XML 1.0 section 2.11).
    mutating func readText() throws(SerializationError) -> String {
        var text: [UInt8] = []
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: "&"): text.append(contentsOf: try self.readReference())
            case UInt8(ascii: "<"):
                if self.skip("<![CDATA[") {
                    try self.readCharacterData(into: &text)
                } else if self.skip("<!--") {
                    try self.skip(past: Array("-->".utf8))
                } else {
                    guard let string = String(validating: text, as: UTF8.self) else {
                        throw self.malformed("text that is not UTF-8")
                    }
                    return string
                }
            default: try self.readCharacter(into: &text)
            }
        }
        throw self.malformed("text without an end")
    }

    private mutating func readCharacterData(into text: inout [UInt8]) throws(SerializationError) {
        while self.next != nil {
            if self.skip("]]>") { return }
            try self.readCharacter(into: &text)
        }
        throw self.malformed("a CDATA section without an end")
    }

    private mutating func readCharacter(into text: inout [UInt8]) throws(SerializationError) {
        let byte = self.bytes[self.position]
        guard byte >= 0x20 || Self.isSpace(byte) else { throw self.malformed("a control character") }
        self.position += 1
        if byte == 0x0D {
            if self.next == 0x0A { self.position += 1 }
            text.append(0x0A)
        } else {
            text.append(byte)
        }
    }

    private mutating func readReference() throws(SerializationError) -> [UInt8] {
        let start = self.position
        let end = self.bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        guard let end else { throw self.malformed("a reference without an end") }
        let name = String(decoding: self.bytes[(start + 1)..<end], as: UTF8.self)
        defer { self.position = end + 1 }
        guard let replacement = Self.replacement(for: name) else {
            throw self.malformed("a reference to something that is not known")
        }
        return Array(String(replacement).utf8)
    }

    /// What the text between `&` and `;` stands for; nil if it is neither a predefined entity nor a character
    /// reference.
    static func replacement(for name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: Self.scalar(name)
        }
    }

    /// The scalar of `#123` or `#x1F`, nil for what XML does not allow as a character (XML 1.0 section 2.2).
    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        var digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x")
        if isHexadecimal { digits.removeFirst() }
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value)
        else { return nil }
        let isAllowed = value >= 0x20 ? value != 0xFFFE && value != 0xFFFF : Self.isSpace(UInt8(value))
        return isAllowed ? scalar : nil
    }

    private mutating func skipAttribute() throws(SerializationError) {
        _ = try self.readName()
        self.skipSpace()
        guard self.skip("=") else { throw self.malformed("an attribute without a value") }
        self.skipSpace()
        guard let quote = self.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw self.malformed("an attribute without quotes")
        }
        self.position += 1
        while let byte = self.next, byte != quote {
            guard byte != UInt8(ascii: "<") else { throw self.malformed("a tag inside an attribute") }
            self.position += 1
        }
        guard self.next == quote else { throw self.malformed("an attribute without an end") }
        self.position += 1
    }

    private mutating func readName() throws(SerializationError) -> String {
        let name = self.bytes[self.position...].prefix {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard !name.isEmpty, name.count <= 64 else { throw self.malformed("expected a name") }
        self.position = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    private var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = self.position
        while let byte = self.next, Self.isSpace(byte) { self.position += 1 }
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

    /// Moves behind the next occurrence of some bytes.
    private mutating func skip(past end: [UInt8]) throws(SerializationError) {
        while self.position + end.count <= self.bytes.count {
            if self.bytes[self.position..<(self.position + end.count)].elementsEqual(end) {
                self.position += end.count
                return
            }
            self.position += 1
        }
        throw self.malformed("something without an end")
    }
}
