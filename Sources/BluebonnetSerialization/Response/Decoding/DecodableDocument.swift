// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Prepares JSON documents for Foundation's decoder, which has no limits and reads repeated names in its own way.
enum DecodableDocument {
    /// Returns the document in a form in which Foundation's decoder and ``JSONParser`` read the same values.
    ///
    /// That decoder keeps the first value of a repeated name and ``JSONParser`` the last one, so a document with a
    /// repeated name is written again, without the values that do not count.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The document; the same bytes if every name occurs once and they are UTF-8.
    /// - Throws: `limitExceeded`; `malformedBody`; `decodingFailed` with the coding path for two names of an object that
    ///   are canonically equivalent, which the decoder takes for one and ``JSONParser`` for two.
    static func make(of body: Data, limits: ParsingLimits) throws(SerializationError) -> Data {
        if try Self.isUnambiguous(body, limits: limits) { return body }
        let value = try JSONParser(limits: limits).parse(body)
        do throws(SerializationError) {
            _ = try ParameterValue(value)
        } catch {
            let place = error.codingPath.joined(separator: ".")
            throw SerializationError(
                .decodingFailed,
                reason: "an object has one name in two Unicode forms at \(place); decode the body as JSONValue",
                codingPath: error.codingPath
            )
        }
        return JSONWriter().write(value)
    }

    /// Checks the limits, and whether every name occurs once in its object.
    private static func isUnambiguous(_ body: Data, limits: ParsingLimits) throws(SerializationError) -> Bool {
        let encoding = body.withUnsafeBytes(UnicodeDetector.detect)
        // UTF-16 and UTF-32 cannot be scanned byte by byte. They are rare, so they are parsed and written again.
        guard encoding == nil || encoding?.charset == .utf8 else { return false }
        return try body.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                do throws(JSONFault) {
                    return try JSONShape.check(bytes, limits: limits)
                } catch {
                    throw error.located(in: bytes, mark: 0, original: nil)
                }
            }
        }.get()
    }
}
