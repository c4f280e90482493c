// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A strict parser of JSON (RFC 8259).
///
/// It accepts only what the grammar allows: no trailing commas, no comments, no control characters in strings, no
/// invalid UTF-8, no unpaired surrogate escapes. A byte order mark is skipped; UTF-16 and UTF-32 are detected by their
/// byte order mark or by the positions of zero bytes. If a name occurs twice in an object, the last value wins.
public struct JSONParser: Sendable, Hashable {
    /// The limits beyond which a document is refused.
    public var limits: ParsingLimits

    /// Creates a parser.
    ///
    /// - Parameter limits: The limits beyond which a document is refused.
    public init(limits: ParsingLimits = ParsingLimits()) {
        self.limits = limits
    }

    /// Parses a document.
    ///
    /// - Parameter data: The document.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` with code `malformedBody`, whose `underlying` is a ``JSONSyntaxError``, or
    ///   `limitExceeded`.
    public func parse(_ data: Data) throws(SerializationError) -> JSONValue {
        try data.withUnsafeBytes { bytes in Result { () throws(SerializationError) in try self.parse(bytes) } }.get()
    }

    /// Parses a document from text.
    ///
    /// - Parameter text: The document.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public func parse(_ text: String) throws(SerializationError) -> JSONValue {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(SerializationError) in try self.parse(UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    /// Parses a document from memory.
    ///
    /// - Parameter bytes: The document; not used after the call.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` with code `malformedBody` or `limitExceeded`.
    public func parse(_ bytes: UnsafeRawBufferPointer) throws(SerializationError) -> JSONValue {
        try self.limits.check(byteCount: bytes.count, of: "JSON")
        guard let encoding = UnicodeDetector.detect(bytes) else { return try self.parse(utf8: bytes, mark: 0) }
        if encoding.charset == .utf8 { return try self.parse(utf8: bytes, mark: encoding.markLength) }
        let body = UnsafeRawBufferPointer(rebasing: bytes[encoding.markLength...])
        guard let text = encoding.charset.decode(body) else {
            throw SerializationError(.malformedBody, reason: "the JSON document is not valid \(encoding.charset.name)")
        }
        var utf8 = Array(text.utf8)
        return try utf8.withUnsafeMutableBytes { bytes in
            Result { () throws(SerializationError) in
                try self.parse(utf8: UnsafeRawBufferPointer(bytes), mark: 0, original: encoding)
            }
        }.get()
    }

    private func parse(
        utf8 bytes: UnsafeRawBufferPointer,
        mark: Int,
        original: UnicodeDetector.Encoding? = nil
    ) throws(SerializationError) -> JSONValue {
        var reader = JSONReader(bytes: bytes, start: mark, limits: self.limits)
        do {
            return try reader.readDocument()
        } catch {
            throw error.located(in: bytes, mark: mark, original: original)
        }
    }
}
