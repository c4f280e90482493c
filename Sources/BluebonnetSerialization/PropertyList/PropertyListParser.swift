// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A strict parser of XML and binary property lists.
///
/// Its work is proportional to the size of the document, whatever its content. In a binary list, objects with many
/// references are parsed once, counted once per reference, and refused when the count exceeds the limits; cycles and
/// invalid offsets are errors. In an XML list, only the elements of property lists, the five predefined entities and
/// character references are supported; a document type is skipped and never loaded, and one with declarations is
/// refused. The encoding is that of a byte order mark, otherwise the declared one, otherwise UTF-8. OpenStep's text
/// format is not supported.
///
/// If a key occurs twice in a dictionary, the last value is kept. Two keys that are canonically equivalent but differ in
/// their bytes are refused: they are equal in Swift, and one of the values would be lost.
public struct PropertyListParser: Sendable, Hashable {
    /// The limits beyond which a document is refused.
    public var limits: ParsingLimits

    /// Creates a parser.
    ///
    /// - Parameter limits: The limits beyond which a document is refused.
    public init(limits: ParsingLimits = ParsingLimits()) {
        self.limits = limits
    }

    /// Parses a property list.
    ///
    /// - Parameter data: The property list; it is binary if it starts with `bplist`, otherwise XML.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public func parse(_ data: Data) throws(SerializationError) -> PropertyListValue {
        try self.limits.check(byteCount: data.count, of: "property list")
        return try data.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                if Self.isBinary(bytes) {
                    var reader = try BinaryPropertyListReader(bytes: bytes, limits: self.limits)
                    return try reader.readDocument()
                }
                return try Self.parseXML(bytes, limits: self.limits)
            }
        }.get()
    }

    /// Whether a document is a binary property list.
    static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "bplist".utf8) }

    private static func parseXML(
        _ bytes: UnsafeRawBufferPointer,
        limits: ParsingLimits
    ) throws(SerializationError) -> PropertyListValue {
        let charset = try XMLPreparation.charset(of: bytes)
        if charset == .utf8 { return try Self.parseXML(utf8: bytes, limits: limits) }
        let utf8 = try XMLPreparation.utf8(of: bytes, in: charset)
        return try utf8.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in try Self.parseXML(utf8: bytes, limits: limits) }
        }.get()
    }

    private static func parseXML(
        utf8 bytes: UnsafeRawBufferPointer,
        limits: ParsingLimits
    ) throws(SerializationError) -> PropertyListValue {
        var reader = XMLPropertyListReader(bytes: bytes, limits: limits)
        return try reader.readDocument()
    }
}
