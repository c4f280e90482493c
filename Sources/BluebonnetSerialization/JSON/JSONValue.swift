// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A JSON document, or a part of one (RFC 8259).
///
/// ```swift
/// let value = try JSONValue(parsing: body)
/// let name = value["user"]?["name"]?.string
/// let again = value.serialized(isPretty: true)
/// ```
///
/// Objects keep the order of their members; if a name occurs twice, the last value wins. Numbers keep their exact
/// value, whatever their size and precision.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number of any size and precision.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Parses a document: one value of any kind, with only white space around it.
    ///
    /// UTF-8, UTF-16 and UTF-32 are detected, with or without a byte order mark.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - limits: The limits beyond which the document is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody`, whose `underlying` is a ``JSONSyntaxError`` with the
    ///   position, or `limitExceeded`.
    public init(parsing data: Data, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        self = try JSONParser(limits: limits).parse(data)
    }

    /// Parses a document from text.
    ///
    /// - Parameters:
    ///   - text: The document.
    ///   - limits: The limits beyond which the document is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public init(parsing text: String, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        self = try JSONParser(limits: limits).parse(text)
    }

    /// Encodes the value as JSON in UTF-8.
    ///
    /// - Parameters:
    ///   - isPretty: Whether every member and element is on its own line, indented by two spaces per level.
    ///   - sortsKeys: Whether the members of every object are sorted by their names' UTF-8 bytes; no unless given.
    /// - Returns: The document, without escaped slashes and without a final line break.
    public func serialized(isPretty: Bool = false, sortsKeys: Bool = false) -> Data {
        JSONWriter(isPretty: isPretty, sortsKeys: sortsKeys).write(self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: self.serialized(), as: UTF8.self) }
}
