// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A writer of JSON (RFC 8259) in UTF-8.
///
/// It escapes only what the grammar requires: quotation marks, backslashes and control characters. Slashes and letters
/// of every language are unchanged.
public struct JSONWriter: Sendable, Hashable {
    /// Whether every member and element is on its own line, indented by two spaces per level.
    public var isPretty: Bool

    /// Whether the members of every object are sorted by their names' UTF-8 bytes.
    public var sortsKeys: Bool

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - isPretty: Whether to write line breaks and indentation.
    ///   - sortsKeys: Whether to sort the members of objects.
    public init(isPretty: Bool = false, sortsKeys: Bool = false) {
        self.isPretty = isPretty
        self.sortsKeys = sortsKeys
    }

    /// Writes a value.
    ///
    /// - Parameter value: The value, nested no deeper than ``ParsingLimits/maximumDepth``.
    /// - Returns: The document, without a final line break.
    public func write(_ value: JSONValue) -> Data {
        var sink = JSONByteSink()
        self.write(value, to: &sink, level: 0)
        return sink.finish()
    }

    private func write(_ value: borrowing JSONValue, to sink: inout JSONByteSink, level: Int) {
        switch value {
        case .null: sink.append("null")
        case .bool(let bool): sink.append(bool ? "true" : "false")
        case .number(let number): Self.write(number, to: &sink)
        case .string(let string): sink.appendQuoted(string)
        case .array(let elements): self.write(elements, to: &sink, level: level)
        case .object(let object): self.write(object, to: &sink, level: level)
        }
    }

    private func write(_ elements: [JSONValue], to sink: inout JSONByteSink, level: Int) {
        guard !elements.isEmpty else { return sink.append("[]") }
        sink.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { sink.append(UInt8(ascii: ",")) }
            isFirst = false
            if self.isPretty { sink.appendLineBreak(level: level + 1) }
            self.write(element, to: &sink, level: level + 1)
        }
        if self.isPretty { sink.appendLineBreak(level: level) }
        sink.append(UInt8(ascii: "]"))
    }

    private func write(_ object: JSONObject, to sink: inout JSONByteSink, level: Int) {
        guard !object.isEmpty else { return sink.append("{}") }
        let members = self.sortsKeys ? Self.sorted(object.members) : object.members
        sink.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in members {
            if !isFirst { sink.append(UInt8(ascii: ",")) }
            isFirst = false
            if self.isPretty { sink.appendLineBreak(level: level + 1) }
            sink.appendQuoted(member.key)
            sink.append(UInt8(ascii: ":"))
            if self.isPretty { sink.append(UInt8(ascii: " ")) }
            self.write(member.value, to: &sink, level: level + 1)
        }
        if self.isPretty { sink.appendLineBreak(level: level) }
        sink.append(UInt8(ascii: "}"))
    }

    private static func write(_ number: JSONNumber, to sink: inout JSONByteSink) {
        switch number.storage {
        case .integer(let value): sink.append(integer: value)
        case .double(let value): sink.append(text: value.description)
        case .text(let text): sink.append(text: text)
        }
    }

    private static func sorted(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
