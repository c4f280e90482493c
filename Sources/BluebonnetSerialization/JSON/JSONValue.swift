// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A JSON document, or a part of one (RFC 8259).
///
/// ```swift
/// let value = try JSONValue(parsing: body)
/// let name = value["user"]?["name"]?.string
/// let again = value.serialized(pretty: true)
/// ```
///
/// Objects keep the order of their members; where a name occurs twice the last value wins. Numbers keep their exact
/// text wherever an `Int64` or a `Double` would lose some of it.
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
    /// Reads a document: one value of any kind, with nothing but white space around it.
    ///
    /// UTF-8, UTF-16 and UTF-32 are recognised, with a byte order mark or without.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - limits: The limits beyond which the document is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody`, whose `underlying` is a ``JSONSyntaxError`` that
    ///   says where, or `limitExceeded`.
    public init(parsing data: Data, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        self = try JSONParser(limits: limits).parse(data)
    }

    /// Reads a document from text.
    ///
    /// - Parameters:
    ///   - text: The document.
    ///   - limits: The limits beyond which the document is refused.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public init(parsing text: String, limits: ParsingLimits = ParsingLimits()) throws(SerializationError) {
        self = try JSONParser(limits: limits).parse(text)
    }

    /// Writes the value as UTF-8.
    ///
    /// - Parameters:
    ///   - pretty: Whether every member and element gets a line of its own, indented by two spaces.
    ///   - sortedKeys: Whether the members of every object are put into the order of their names' UTF-8 bytes.
    /// - Returns: The document; never with escaped slashes, never with a final line break.
    public func serialized(pretty: Bool = false, sortedKeys: Bool = false) -> Data {
        JSONWriter(isPretty: pretty, sortsKeys: sortedKeys).write(self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: self.serialized(), as: UTF8.self) }
}
