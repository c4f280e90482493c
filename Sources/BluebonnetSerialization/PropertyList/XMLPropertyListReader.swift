// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Parses one XML property list from UTF-8 bytes.
struct XMLPropertyListReader {
    /// An open array or dictionary.
    private struct Container {
        let isDictionary: Bool
        var key = ""
        private var elements: [PropertyListValue] = []
        private var entries: [String: PropertyListValue] = [:]

        init(isDictionary: Bool) { self.isDictionary = isDictionary }

        var value: PropertyListValue { self.isDictionary ? .dictionary(self.entries) : .array(self.elements) }

        /// Whether a key can be told apart from those before it, or is the same.
        func accepts(_ key: String) -> Bool { !self.entries.hasOtherForm(of: key) }

        mutating func take(_ value: PropertyListValue) {
            if self.isDictionary {
                self.entries[self.key] = value
            } else {
                self.elements.append(value)
            }
        }
    }

    private var scanner: PropertyListXMLScanner
    private let limits: ParsingLimits
    private var elementCount = 0

    init(bytes: UnsafeRawBufferPointer, limits: ParsingLimits) {
        self.scanner = PropertyListXMLScanner(bytes: bytes)
        self.limits = limits
    }

    mutating func readDocument() throws(SerializationError) -> PropertyListValue {
        guard self.scanner.isMarkup else {
            throw PropertyListFault.malformed(
                "it is neither XML nor binary; the text format of OpenStep is not read"
            )
        }
        try self.scanner.skipProlog()
        guard let root = try self.scanner.readStartTag(), root.name == "plist", !root.isEmpty else {
            throw self.scanner.malformed("expected <plist>")
        }
        try self.scanner.skipMiscellaneous()
        let value = try self.readTree()
        try self.scanner.skipMiscellaneous()
        try self.scanner.readEndTag("plist")
        try self.scanner.skipMiscellaneous()
        guard self.scanner.isAtEnd else { throw self.scanner.malformed("something follows the document") }
        return value
    }

    /// Parses a value and everything in it, without recursion.
    private mutating func readTree() throws(SerializationError) -> PropertyListValue {
        var containers: [Container] = []
        while true {
            try self.scanner.skipMiscellaneous()
            guard var finished = try self.readScalarOrOpen(&containers) else { continue }
            while true {
                guard let top = containers.indices.last else { return finished }
                containers[top].take(finished)
                guard let closed = try self.closeContainer(&containers) else { break }
                finished = closed
            }
        }
    }

    /// Parses a scalar or an empty container; pushes a container with content onto the stack and returns nil.
    private mutating func readScalarOrOpen(
        _ containers: inout [Container]
    ) throws(SerializationError) -> PropertyListValue? {
        guard let tag = try self.scanner.readStartTag() else { throw self.scanner.malformed("expected a value") }
        self.elementCount += 1
        guard self.elementCount <= self.limits.elementCount else {
            throw PropertyListFault.tooManyElements(self.limits)
        }
        guard tag.name == "array" || tag.name == "dict" else { return try self.readScalar(tag) }
        guard containers.count < self.limits.effectiveDepth else { throw PropertyListFault.tooDeep(self.limits) }
        let container = Container(isDictionary: tag.name == "dict")
        if tag.isEmpty { return container.value }
        containers.append(container)
        return try self.closeContainer(&containers)
    }

    /// Consumes the end tag of the top container if it comes next; otherwise reads the key of the next value.
    private mutating func closeContainer(
        _ containers: inout [Container]
    ) throws(SerializationError) -> PropertyListValue? {
        try self.scanner.skipMiscellaneous()
        let top = containers.count - 1
        if self.scanner.isAtEndTag {
            let container = containers.removeLast()
            try self.scanner.readEndTag(container.isDictionary ? "dict" : "array")
            return container.value
        }
        guard containers[top].isDictionary else { return nil }
        guard let tag = try self.scanner.readStartTag(), tag.name == "key" else {
            throw self.scanner.malformed("expected <key>")
        }
        let key = try self.readText(tag)
        guard containers[top].accepts(key) else { throw self.scanner.malformed(PropertyListFault.equivalentKeys) }
        containers[top].key = key
        return nil
    }

    private mutating func readScalar(
        _ tag: PropertyListXMLScanner.StartTag
    ) throws(SerializationError) -> PropertyListValue {
        switch tag.name {
        case "true", "false":
            guard try self.readText(tag).utf8.allSatisfy(XMLCursor.isSpace) else {
                throw self.scanner.malformed("<\(tag.name)> holds something")
            }
            return .bool(tag.name == "true")
        case "string": return .string(try self.readText(tag))
        case "integer": return try self.convert(try self.readText(tag), to: "an integer", PropertyListText.integer)
        case "real": return try self.convert(try self.readText(tag), to: "a number", PropertyListText.real)
        case "date": return try self.convert(try self.readText(tag), to: "a date", PropertyListText.date)
        case "data": return try self.convert(try self.readText(tag), to: "Base64", PropertyListText.data)
        default: throw self.scanner.malformed("an element that property lists do not have")
        }
    }

    private mutating func readText(_ tag: PropertyListXMLScanner.StartTag) throws(SerializationError) -> String {
        if tag.isEmpty { return "" }
        let text = try self.scanner.readText()
        try self.scanner.readEndTag(tag.name)
        return text
    }

    private func convert(
        _ text: String,
        to kind: String,
        _ conversion: (String) -> PropertyListValue?
    ) throws(SerializationError) -> PropertyListValue {
        guard let value = conversion(text) else { throw self.scanner.malformed("text that is not \(kind)") }
        return value
    }
}
