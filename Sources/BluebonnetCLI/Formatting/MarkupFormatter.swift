// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Formats XML and HTML for a person as it arrives: colours, and for XML indentation.
///
/// XML gets line breaks only between tags, where there was white space or nothing: a text is never changed, and an element with text and
/// elements, or one with `xml:space="preserve"`, stays in one line. Memory does not depend on the length of the document.
struct MarkupFormatter {
    /// The most white space that is held back to see what follows it: 4 KiB.
    private static let longestGap = 4096

    /// The deepest level that is indented further than the one above it.
    private static let largestIndentation = 40

    /// The formatted text that the owner has not taken yet.
    var output: [UInt8] = []

    private let palette: Palette
    /// The columns of one level; nil for no indentation.
    private let indentation: Int?

    private enum State: Equatable {
        case text
        /// Behind `<`, until it is known what begins.
        case opening
        case name, attributes, attributeName
        case attributeValue(quote: UInt8)
        /// A comment, CDATA, a declaration or an instruction: everything up to these bytes.
        case verbatim(end: [UInt8])
    }

    private var state = State.text
    private var depth = 0
    /// The white space since the last tag.
    private var gap: [UInt8] = []
    /// The bytes since `<`, until it is known what begins; the last bytes of a comment.
    private var recent: [UInt8] = []
    /// Whether the element that is open has had text, level by level; elements below the deepest level are not indented.
    private var hasText: [Bool] = [false]
    /// Whether white space of the open element has a meaning because of `xml:space`, level by level as above
    /// (XML 1.0 section 2.10).
    private var preservesSpace: [Bool] = [false]
    /// What `xml:space` says in the tag that is read; nil where it is not written.
    private var spaceOfTag: Bool?
    /// The first bytes of the attribute that is read.
    private var attribute: [UInt8] = []
    private var attributeValue: [UInt8] = []
    /// Whether the last thing was a tag that opens an element.
    private var isAfterOpening = false
    private var isClosing = false
    private var hasOutput = false
    /// The byte before, inside a tag.
    private var previous: UInt8 = 0
    private var isColoured = false

    init(palette: Palette, indentation: Int?) {
        self.palette = palette
        self.indentation = indentation
    }

    /// Formats the next bytes of the text, which are UTF-8 without control characters.
    mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.write(byte) }
    }

    /// Ends the text: what was held back comes out.
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

    /// Whether the open element has had text, so that white space in it has a meaning.
    private var isInText: Bool { self.hasText.last ?? false }

    /// Finds out what begins behind `<`.
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
        // “<!D…” is a declaration; “<!-” and “<![C” may become something else.
        if marks.contains(where: { $0.start.utf8.starts(with: start) }) { return }
        if start.starts(with: "<!".utf8) { return self.beginVerbatim(">", isText: false) }
        guard byte == UInt8(ascii: "/") || byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80 else {
            // A “<” that opens nothing is text, as in a script.
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
        // “<!>” ends at once.
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

    /// Ends the open element; its tag stands on a line of its own if the element has had elements and no text.
    private mutating func leave() {
        let isMixed = self.isInText
        self.depth = max(0, self.depth - 1)
        if self.hasText.count > 1, self.depth < self.hasText.count - 1 {
            self.hasText.removeLast()
            self.preservesSpace.removeLast()
        }
        if isMixed || self.isAfterOpening {
            // White space that is all the text of an element is its value.
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

    /// Switches to the look of a role, or to none.
    private mutating func paint(_ role: Palette.Role?) {
        guard self.palette.isEnabled else { return }
        if self.isColoured { self.output += Palette.reset.utf8 }
        if let role { self.output += self.palette.start(role).utf8 }
        self.isColoured = role != nil
    }

    /// Appends a byte to what is compared with a word, as long as it may be that word.
    private static func keep(_ byte: UInt8, in bytes: inout [UInt8]) {
        if bytes.count < 16 { bytes.append(byte) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
