// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Builds a tree from the events of a reader, without recursion.
struct XMLTreeBuilder: XMLReaderSink {
    private var open: [ParsedXML.Element] = []
    private var namespaces = XMLNamespaces()

    /// The document element, after it has ended.
    private(set) var root: ParsedXML.Element?

    mutating func startElement(_ tag: XMLTag, in cursor: XMLCursor) throws(XMLProblem) {
        var attributes: [ParsedXML.Attribute] = []
        attributes.reserveCapacity(tag.attributes.count)
        for attribute in tag.attributes {
            let value = Self.decoded(attribute.value, in: cursor, isAttribute: true)
            attributes.append(ParsedXML.Attribute(cursor.text(attribute.name), value: value))
        }
        let name = cursor.text(tag.name)
        let namespace = try self.namespaces.enter(name, &attributes)
        self.open.append(ParsedXML.Element(name, namespace: namespace, attributes: attributes))
    }

    mutating func endElement() {
        self.namespaces.leave()
        guard let element = self.open.popLast() else { return }
        if self.open.isEmpty {
            self.root = element
        } else {
            self.add(.element(element))
        }
    }

    mutating func text(_ range: Range<Int>, isLiteral: Bool, in cursor: XMLCursor) {
        guard !range.isEmpty else { return }
        let text =
            isLiteral
            ? Self.withLineFeeds(range, in: cursor) : Self.decoded(range, in: cursor, isAttribute: false)
        // Text around a CDATA section is joined.
        if let last = self.open.indices.last, case .text(var joined) = self.open[last].children.last {
            // Removed first, so that it is appended to in place and many sections take linear time.
            self.open[last].children.removeLast()
            joined += text
            self.add(.text(joined))
        } else {
            self.add(.text(text))
        }
    }

    mutating func comment(_ range: Range<Int>, in cursor: XMLCursor) {
        self.add(.comment(Self.withLineFeeds(range, in: cursor)))
    }

    mutating func instruction(target: Range<Int>, content: Range<Int>, in cursor: XMLCursor) {
        self.add(.instruction(target: cursor.text(target), content: Self.withLineFeeds(content, in: cursor)))
    }

    /// Adds to the innermost open element; content outside the document element is dropped.
    private mutating func add(_ node: ParsedXML.Node) {
        guard let last = self.open.indices.last else { return }
        self.open[last].children.append(node)
    }

    /// Normalizes line breaks to LF (XML 1.0 section 2.11).
    private static func withLineFeeds(_ range: Range<Int>, in cursor: XMLCursor) -> String {
        guard cursor.bytes[range].contains(0x0D) else { return cursor.text(range) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for position in range {
            let byte = cursor.bytes[position]
            if byte != 0x0D {
                bytes.append(byte)
            } else if position + 1 == range.upperBound || cursor.bytes[position + 1] != 0x0A {
                bytes.append(0x0A)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes references and normalizes line breaks to LF; in attributes, literal white space becomes a space.
    private static func decoded(_ range: Range<Int>, in cursor: XMLCursor, isAttribute: Bool) -> String {
        let isPlain = cursor.bytes[range].allSatisfy {
            $0 != UInt8(ascii: "&") && ($0 >= 0x20 || $0 == 0x0A && !isAttribute)
        }
        if isPlain { return cursor.text(range) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var cursor = cursor
        cursor.position = range.lowerBound
        while cursor.position < range.upperBound {
            let byte = cursor.bytes[cursor.position]
            // The reader has checked the references.
            if byte == UInt8(ascii: "&"), let scalar = try? XMLReference.read(&cursor) {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                continue
            }
            cursor.position += 1
            if byte == 0x0D, cursor.position < range.upperBound, cursor.next == 0x0A { continue }
            let isBreak = byte == 0x0D || byte == 0x0A
            bytes.append(isAttribute && (isBreak || byte == 0x09) ? 0x20 : isBreak ? 0x0A : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
