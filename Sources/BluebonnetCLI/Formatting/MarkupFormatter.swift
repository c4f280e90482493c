// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A formatter that colours XML and HTML, and indents XML, as it arrives.
///
/// Line breaks in XML are only added between tags, in place of white space or nothing: text is never changed. An
/// element whose content begins with text, or with `xml:space="preserve"`, stays on one line. If mixed content begins
/// with an element, there is a line break before it, because the text that follows is not known yet. Memory usage does
/// not depend on the length of the document.
struct MarkupFormatter {
    /// The most white space that is buffered until it is known what follows it: 4 KiB.
    private static let longestGap = 4096

    /// The deepest level that is indented further than its parent.
    private static let largestIndentation = 40

    /// The formatted text that has not been taken yet.
    var output: [UInt8] = []

    private let palette: Palette
    /// The number of columns per level; nil for no indentation.
    private let indentation: Int?

    private enum State: Equatable {
        case text
        /// After `<`, until the kind of markup is known.
        case opening
        case name, attributes, attributeName
        case attributeValue(quote: UInt8)
        /// A comment, CDATA section, declaration or processing instruction, up to these bytes.
        case verbatim(end: [UInt8])
    }

    private var state = State.text
    private var depth = 0
    /// The white space since the last tag.
    private var gap: [UInt8] = []
    /// The bytes since `<`, until the kind of markup is known; the last bytes of a comment.
    private var recent: [UInt8] = []
    /// Whether each open element has contained text; elements below the deepest level are not indented.
    private var hasText: [Bool] = [false]
    /// Whether white space is significant in each open element because of `xml:space` (XML 1.0 section 2.10).
    private var preservesSpace: [Bool] = [false]
    /// The value of `xml:space` in the current tag; nil if it is missing.
    private var spaceOfTag: Bool?
    /// The first bytes of the current attribute's name.
    private var attribute: [UInt8] = []
    private var attributeValue: [UInt8] = []
    /// Whether the previous token was a start tag.
    private var isAfterOpening = false
    private var isClosing = false
    private var hasOutput = false
    /// The previous byte inside a tag.
    private var previous: UInt8 = 0
    private var isColoured = false

    init(palette: Palette, indentation: Int?) {
        self.palette = palette
        self.indentation = indentation
    }

    /// Formats the next bytes, which are UTF-8 without control characters.
    mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.write(byte) }
    }

    /// Ends the text, and writes what is buffered.
    mutating func finish() {
        self.output += self.indentation == nil || self.state != .text ? self.gap : []
        self.gap = []
        if self.state == .opening { self.output += self.recent }
        self.recent = []
        self.paint(nil)
    }

    private mutating func write(_ byte: UInt8) {
        switch self.state {
        case .text: self.writeText(byte)
        case .opening: self.open(byte)
        case .name: self.writeName(byte)
        case .attributes, .attributeName: self.writeAttributes(byte)
        case .attributeValue(let quote):
            self.output.append(byte)
            guard byte == quote else { return Self.keep(byte, in: &self.attributeValue) }
            if self.attribute.elementsEqual("xml:space".utf8) {
                self.spaceOfTag = self.attributeValue.elementsEqual("preserve".utf8)
            }
            self.previous = byte
            self.paint(nil)
            self.state = .attributes
        case .verbatim(let end):
            self.output.append(byte)
            self.recent.append(byte)
            if self.recent.count > end.count { self.recent.removeFirst() }
            guard self.recent == end else { return }
            self.recent = []
            self.paint(nil)
            self.state = .text
        }
    }

    private mutating func writeText(_ byte: UInt8) {
        if byte == UInt8(ascii: "<") {
            self.state = .opening
            self.recent = [byte]
        } else if self.indentation != nil, Self.isSpace(byte), self.gap.count < Self.longestGap, !self.isInText {
            self.gap.append(byte)
        } else {
            self.output += self.gap
            self.gap = []
            self.hasText[self.hasText.count - 1] = self.hasText[self.hasText.count - 1] || !Self.isSpace(byte)
            self.isAfterOpening = false
            self.hasOutput = true
            self.output.append(byte)
        }
    }

    /// Whether the open element has contained text, so that white space in it is significant.
    private var isInText: Bool { self.hasText.last ?? false }

    /// Determines the kind of markup after `<`.
    private mutating func open(_ byte: UInt8) {
        self.recent.append(byte)
        let start = self.recent
        let marks: [(start: String, end: String)] = [
            ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"),
        ]
        if let mark = marks.first(where: { start.elementsEqual($0.start.utf8) }),
            !(mark.start == "<!" && start == Array("<!".utf8))
        {
            return self.beginVerbatim(mark.end, isText: mark.start == "<![CDATA[")
        }
        // “<!D…” is a declaration; “<!-” and “<![C” may become a comment or a CDATA section.
        if marks.contains(where: { $0.start.utf8.starts(with: start) }) { return }
        if start.starts(with: "<!".utf8) { return self.beginVerbatim(">", isText: false) }
        guard byte == UInt8(ascii: "/") || byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80 else {
            // A “<” that begins no markup is text, as in a script.
            self.output += self.gap + start
            (self.gap, self.recent, self.state) = ([], [], .text)
            self.hasText[self.hasText.count - 1] = true
            return
        }
        self.isClosing = byte == UInt8(ascii: "/")
        self.spaceOfTag = nil
        if self.isClosing { self.leave() } else { self.breakLine() }
        self.output.append(UInt8(ascii: "<"))
        if self.isClosing { self.output.append(byte) }
        self.paint(.key)
        if !self.isClosing { self.output.append(byte) }
        (self.recent, self.state) = ([], .name)
    }

    private mutating func beginVerbatim(_ end: String, isText: Bool) {
        if isText {
            self.output += self.gap
            self.gap = []
            self.hasText[self.hasText.count - 1] = true
        } else {
            self.breakLine()
        }
        self.isAfterOpening = false
        self.paint(isText ? .string : .faint)
        self.output += self.recent
        // “<!>” ends immediately.
        let hasEnded = end == ">" && self.recent.last == UInt8(ascii: ">")
        self.recent = []
        self.state = hasEnded ? .text : .verbatim(end: Array(end.utf8))
        if hasEnded { self.paint(nil) }
    }

    private mutating func writeName(_ byte: UInt8) {
        guard Self.isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") else {
            return self.output.append(byte)
        }
        self.paint(nil)
        self.state = .attributes
        self.previous = 0
        self.writeAttributes(byte)
    }

    private mutating func writeAttributes(_ byte: UInt8) {
        defer { self.previous = byte }
        switch byte {
        case UInt8(ascii: ">"):
            self.paint(nil)
            let isEmpty = self.previous == UInt8(ascii: "/")
            self.output.append(byte)
            self.state = .text
            self.isAfterOpening = !self.isClosing && !isEmpty
            if self.isAfterOpening { self.enter() }
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            self.paint(.string)
            self.output.append(byte)
            self.attributeValue = []
            self.state = .attributeValue(quote: byte)
        case UInt8(ascii: "="), UInt8(ascii: "/"),
            _ where Self.isSpace(byte):
            self.paint(nil)
            self.output.append(byte)
            self.state = .attributes
        default:
            if self.state != .attributeName {
                self.paint(.fieldName)
                self.attribute = []
            }
            Self.keep(byte, in: &self.attribute)
            self.output.append(byte)
            self.state = .attributeName
        }
    }

    private mutating func enter() {
        self.depth += 1
        guard self.hasText.count <= JSONFormatter.largestDepth else { return }
        let preservesSpace = self.spaceOfTag ?? self.preservesSpace.last ?? false
        self.preservesSpace.append(preservesSpace)
        self.hasText.append(preservesSpace)
    }

    /// Ends the open element; its end tag is on a line of its own if the element contains elements and no text.
    private mutating func leave() {
        let isMixed = self.isInText
        self.depth = max(0, self.depth - 1)
        if self.hasText.count > 1, self.depth < self.hasText.count - 1 {
            self.hasText.removeLast()
            self.preservesSpace.removeLast()
        }
        if isMixed || self.isAfterOpening {
            // White space that is the only content of an element is its value.
            self.output += self.gap
            self.gap = []
        } else {
            self.breakLine()
        }
        self.isAfterOpening = false
    }

    private mutating func breakLine() {
        defer { self.hasOutput = true }
        guard let indentation, !self.isInText else {
            self.output += self.gap
            self.gap = []
            return
        }
        self.gap = []
        guard self.hasOutput else { return }
        self.output.append(0x0A)
        let columns = indentation * min(self.depth, Self.largestIndentation)
        self.output.append(contentsOf: repeatElement(0x20, count: columns))
    }

    /// Switches to the colour of a role, or to none.
    private mutating func paint(_ role: Palette.Role?) {
        guard self.palette.isEnabled else { return }
        if self.isColoured { self.output += Palette.reset.utf8 }
        if let role { self.output += self.palette.start(role).utf8 }
        self.isColoured = role != nil
    }

    /// Appends a byte to a name or a value, up to the longest length that is compared.
    private static func keep(_ byte: UInt8, in bytes: inout [UInt8]) {
        if bytes.count < 16 { bytes.append(byte) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
