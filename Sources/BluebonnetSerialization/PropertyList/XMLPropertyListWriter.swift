// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Encodes parameters as an XML property list, without recursion.
///
/// Keys are sorted by their UTF-8 bytes, so the same parameters give the same bytes.
struct XMLPropertyListWriter: ~Copyable {
    private let maximumDepth: Int
    private var output = ByteBuilder(capacity: 1_024)
    private var levels: [ParameterLevel] = []

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    /// Encodes a document.
    ///
    /// - Throws: ``SerializationError`` with the coding path of a value that XML or a property list cannot represent.
    mutating func write(_ parameters: ParameterValue) throws(SerializationError) -> Data {
        self.output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """ as StaticString
        )
        do throws(SerializationError) {
            try self.writeTree(parameters)
        } catch {
            var error = error
            error.codingPath = self.levels.codingPath
            throw error
        }
        self.output.append("</plist>\n" as StaticString)
        return self.output.makeData()
    }

    private mutating func writeTree(_ root: ParameterValue) throws(SerializationError) {
        try self.begin(root)
        while let top = self.levels.indices.last {
            guard let child = self.levels[top].next() else {
                let level = self.levels.removeLast()
                self.indent()
                self.output.append(level.isDictionary ? "</dict>\n" : "</array>\n" as StaticString)
                continue
            }
            if let key = child.key { try self.writeElement("key", text: key) }
            try self.begin(child.value)
        }
    }

    /// Encodes a single value, or the start of a container.
    private mutating func begin(_ value: ParameterValue) throws(SerializationError) {
        let level = try ParameterLevel(value, depth: self.levels.count + 1, maximumDepth: self.maximumDepth)
        guard let level else { return try self.writeScalar(value) }
        self.indent()
        if level.count == 0 {
            self.output.append(level.isDictionary ? "<dict/>\n" : "<array/>\n" as StaticString)
        } else {
            self.output.append(level.isDictionary ? "<dict>\n" : "<array>\n" as StaticString)
            self.levels.append(level)
        }
    }

    private mutating func writeScalar(_ value: ParameterValue) throws(SerializationError) {
        switch value {
        case .bool(let value):
            self.indent()
            self.output.append(value ? "<true/>\n" : "<false/>\n" as StaticString)
        case .int(let value): try self.writeElement("integer", text: String(value))
        case .unsigned(let value): try self.writeElement("integer", text: String(value))
        case .double(let value): try self.writeElement("real", text: Self.text(of: value))
        case .number(let value): try self.writeElement("string", text: value.text)
        case .string(let text): try self.writeElement("string", text: text)
        case .data(let data): try self.writeElement("data", text: data.base64EncodedString())
        case .date(let date): try self.writeElement("date", text: try Self.text(of: date))
        case .null, .array, .set, .dictionary: throw PropertyListFault.null
        }
    }

    private mutating func writeElement(_ name: StaticString, text: String) throws(SerializationError) {
        self.indent()
        self.output.append("<" as StaticString)
        self.output.append(name)
        self.output.append(">" as StaticString)
        try self.writeText(text)
        self.output.append("</" as StaticString)
        self.output.append(name)
        self.output.append(">\n" as StaticString)
    }

    private mutating func indent() {
        for _ in self.levels { self.output.append(UInt8(ascii: "\t")) }
    }

    /// Encodes text, with references for markup characters and for carriage returns, which parsers would otherwise
    /// convert to line feeds (XML 1.0 section 2.11).
    private mutating func writeText(_ text: String) throws(SerializationError) {
        guard text.unicodeScalars.allSatisfy(Self.isLegal) else {
            throw SerializationError(
                .unencodableValue,
                reason: "the text has a control character, which XML cannot hold; the binary format can"
            )
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): self.output.append("&amp;" as StaticString)
            case UInt8(ascii: "<"): self.output.append("&lt;" as StaticString)
            case UInt8(ascii: ">"): self.output.append("&gt;" as StaticString)
            case 0x0D: self.output.append("&#13;" as StaticString)
            default: self.output.append(byte)
            }
        }
    }

    /// Whether XML allows the character (XML 1.0 section 2.2).
    private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }

    /// Returns the text of a date, which has whole seconds only (`PropertyList-1.0.dtd`).
    private static func text(of date: Date) throws(SerializationError) -> String {
        let text = try ISO8601Text.text(of: date)
        let interval = date.timeIntervalSinceReferenceDate
        guard interval == interval.rounded(.down) else {
            throw SerializationError(
                .unencodableValue,
                reason: "the date has a fraction of a second, which XML cannot hold; round it, or use the binary format"
            )
        }
        return text
    }

    /// Returns the text of a number; infinities are spelled as by Apple's encoders.
    private static func text(of number: Double) -> String {
        if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
        return ParameterValue.text(of: number)
    }
}
