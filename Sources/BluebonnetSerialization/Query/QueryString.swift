// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// Encodes queries and form bodies.
public enum QueryString {
    /// Encodes parameters as pairs joined by `&`.
    ///
    /// Keys are sorted by their UTF-8 bytes, arrays keep their order, sets are sorted by their text, empty containers
    /// result in no pair.
    ///
    /// ```swift
    /// let query = try QueryString.encode(["b": [1, 2], "a": ["x": "€"]])  // "a%5Bx%5D=%E2%82%AC&b%5B%5D=1&b%5B%5D=2"
    /// ```
    ///
    /// - Parameters:
    ///   - parameters: A dictionary.
    ///   - format: How arrays, nested keys and values are encoded.
    /// - Returns: ASCII text; empty if there is nothing to encode.
    /// - Throws: ``SerializationError/Code/invalidParameters`` if the parameters are not a dictionary,
    ///   ``SerializationError/Code/limitExceeded`` if they are nested too deeply,
    ///   ``SerializationError/Code/unencodableValue`` for a date without ISO 8601 text.
    public static func encode(
        _ parameters: ParameterValue,
        format: QueryFormat = QueryFormat()
    ) throws(SerializationError) -> String {
        let table = format.allowedBytes.table(space: format.space)
        var flattener = ParameterFlattener(
            sink: QueryPairWriter(format: format, table: table),
            format: format,
            table: table
        )
        try flattener.flatten(parameters)
        return flattener.sink.text()
    }

    /// Appends a query to that of a URL.
    ///
    /// The new pairs follow the existing ones after an `&`; an empty query after `?` is used, and a fragment stays
    /// last.
    ///
    /// - Parameters:
    ///   - query: The escaped query; bytes that are not legal in a query are escaped. An empty query has no effect.
    ///   - url: The URL.
    /// - Returns: The URL with both queries.
    /// - Throws: ``SerializationError/Code/invalidURL`` if the result is not a URL.
    /// - SeeAlso: RFC 3986 section 3.4.
    public static func append(_ query: String, to url: URL) throws(SerializationError) -> URL {
        guard !query.isEmpty else { return url }
        let text = Self.append(query, toText: url.absoluteString)
        guard let result = URL(string: text) else {
            throw SerializationError(.invalidURL, reason: "the URL with its query is not a URL")
        }
        return result
    }

    static func append(_ query: String, toText url: String) -> String {
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        var output = ByteBuilder(capacity: bytes.count + query.utf8.count + 8)
        bytes[..<end].withUnsafeBufferPointer { output.append($0) }
        if let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) {
            let last = bytes[end - 1]
            if mark < end - 1, last != UInt8(ascii: "&") { output.append(UInt8(ascii: "&")) }
        } else {
            output.append(UInt8(ascii: "?"))
        }
        Self.appendLegal(query, to: &output)
        bytes[end...].withUnsafeBufferPointer { output.append($0) }
        return output.makeString()
    }

    /// Escapes bytes that are not legal in a query, and percent signs that do not begin an escape.
    ///
    /// A single illegal byte would make the URL parser escape the whole query again.
    private static func appendLegal(_ query: String, to output: inout ByteBuilder) {
        let bytes = Array(query.utf8)
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            if bytes.byte(ofTripletAt: index) != nil { continue }
            bytes[start..<index].withUnsafeBufferPointer { output.appendEscaped($0, Self.legalQueryBytes) }
            output.append("%25")
            start = index + 1
        }
        bytes[start...].withUnsafeBufferPointer { output.appendEscaped($0, Self.legalQueryBytes) }
    }

    /// The visible ASCII bytes that RFC 3986 allows in a query.
    private static let legalQueryBytes = PercentEncoding.Table(
        allowed: { byte in
            switch byte {
            case 0x21...0x7E: !"#\"<>[\\]^`{|}".utf8.contains(byte)
            default: false
            }
        },
        space: .percent
    )
}
