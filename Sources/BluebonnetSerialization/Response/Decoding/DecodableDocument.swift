// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Prepares JSON documents for Foundation's decoder, which has no limits and reads repeated names in its own way.
enum DecodableDocument {
    /// Returns the document in a form in which Foundation's decoder and ``JSONParser`` read the same values.
    ///
    /// That decoder keeps the first value of a repeated name and ``JSONParser`` the last one, so a document with a
    /// repeated name is written again, without the values that do not count. A comma before the end of a container is
    /// refused.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - limits: The limits beyond which it is refused.
    ///   - allowsJSON5: Whether the decoder reads JSON5. ``JSONParser`` does not, so such a document is left as it is, whatever its names.
    /// - Returns: The document; the same bytes if every name occurs once and they are UTF-8.
    /// - Throws: `limitExceeded`; `malformedBody`; `decodingFailed` with the coding path for two names of an object that
    ///   are canonically equivalent, which the decoder takes for one and ``JSONParser`` for two.
    static func make(
        of body: Data,
        limits: ParsingLimits,
        allowsJSON5: Bool = false
    ) throws(SerializationError) -> Data {
        let body = allowsJSON5 ? try Self.utf8(body) : body
        if try Self.isUnambiguous(body, limits: limits, allowsJSON5: allowsJSON5) { return body }
        let value: JSONValue
        do throws(SerializationError) {
            value = try JSONParser(limits: limits).parse(body)
        } catch {
            if allowsJSON5, error.code == .malformedBody { return body }
            throw error
        }
        do throws(SerializationError) {
            _ = try ParameterValue(value)
        } catch {
            // Where it is consists of names of the body, which no reason contains.
            throw SerializationError(
                .decodingFailed,
                reason: "an object has one name in two Unicode forms; decode the body as JSONValue",
                codingPath: error.codingPath
            )
        }
        return JSONWriter().write(value)
    }

    /// The document in UTF-8, in which JSON5 can be scanned.
    private static func utf8(_ body: Data) throws(SerializationError) -> Data {
        guard let encoding = body.withUnsafeBytes(UnicodeDetector.detect), encoding.charset != .utf8 else {
            return body
        }
        let text = body.withUnsafeBytes {
            encoding.charset.decode(UnsafeRawBufferPointer(rebasing: $0[encoding.markLength...]))
        }
        guard let text else {
            throw SerializationError(.malformedBody, reason: "the JSON document is not valid \(encoding.charset.name)")
        }
        return Data(text.utf8)
    }

    /// Checks the limits, and whether every name occurs once in its object and no comma ends a container.
    private static func isUnambiguous(
        _ body: Data,
        limits: ParsingLimits,
        allowsJSON5: Bool
    ) throws(SerializationError) -> Bool {
        let encoding = body.withUnsafeBytes(UnicodeDetector.detect)
        // UTF-16 and UTF-32 cannot be scanned byte by byte. They are rare, so they are parsed and written again.
        guard encoding == nil || encoding?.charset == .utf8 else { return false }
        return try body.withUnsafeBytes { bytes in
            Result { () throws(SerializationError) in
                do throws(JSONFault) {
                    return try JSONShape.check(bytes, limits: limits, allowsJSON5: allowsJSON5)
                } catch {
                    throw error.located(in: bytes, mark: 0, original: nil)
                }
            }
        }.get()
    }
}
