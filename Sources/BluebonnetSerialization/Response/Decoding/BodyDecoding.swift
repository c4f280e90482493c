// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Calls decoders within limits, and converts their errors to ``SerializationError``.
enum BodyDecoding {
    /// Decodes a value from a body.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from body: Data,
        with decoder: any DataDecoder,
        limits: ParsingLimits
    ) throws(SerializationError) -> Value {
        try limits.check(byteCount: body.count, of: "response")
        if decoder is PropertyListDecoder || body.withUnsafeBytes(PropertyListParser.isBinary) {
            // Foundation's decoder expands shared references and recurses into nested XML without a limit. The parser
            // refuses both first.
            _ = try PropertyListParser(limits: limits).parse(body)
        }
        let allowsJSON5 = (decoder as? JSONDecoder)?.allowsJSON5 ?? false
        let readsJSON = decoder is ResponseDecoder || decoder is JSONDecoder
        if readsJSON, type == JSONValue.self {
            // The library's own parser keeps the order of members and every digit.
            do throws(SerializationError) {
                if let value = try JSONParser(limits: limits).parse(body) as? Value { return value }
            } catch {
                // JSON5 is left to the decoder that reads it.
                guard allowsJSON5, error.code == .malformedBody else { throw error }
            }
        }
        let document =
            readsJSON ? try DecodableDocument.make(of: body, limits: limits, allowsJSON5: allowsJSON5) : body
        do {
            if let decoder = decoder as? ResponseDecoder { return try decoder.decode(type, unambiguous: document) }
            return try decoder.decode(type, from: document)
        } catch let error as SerializationError {
            throw error
        } catch let error as DecodingError {
            throw Self.error(for: error, body: body, allowsJSON5: allowsJSON5)
        } catch {
            throw SerializationError(.decodingFailed, reason: "the body could not be decoded", underlying: error)
        }
    }

    private static func error(for error: DecodingError, body: Data, allowsJSON5: Bool) -> SerializationError {
        let (context, problem) = Self.describe(error)
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        if case .dataCorrupted = error, path.isEmpty {
            // The document is malformed; the strict parser finds the position, unless it would complain about JSON5.
            if !allowsJSON5, let syntaxError = Self.syntaxError(in: body) { return syntaxError }
            return SerializationError(
                .malformedBody,
                reason: "the body is not of the format that was expected",
                underlying: error
            )
        }
        let place = path.isEmpty ? "the top level" : path.joined(separator: ".")
        return SerializationError(
            .decodingFailed,
            reason: "the body does not fit the type: \(problem) at \(place)",
            underlying: error,
            codingPath: path
        )
    }

    private static func describe(_ error: DecodingError) -> (context: DecodingError.Context, problem: String) {
        switch error {
        case .typeMismatch(let type, let context): (context, "expected \(type)")
        case .valueNotFound(let type, let context): (context, "\(type) is missing or null")
        case .keyNotFound(let key, let context): (context, "no member “\(key.stringValue)”")
        case .dataCorrupted(let context): (context, "the value cannot be converted")
        @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "the decoder failed")
        }
    }

    private static func syntaxError(in body: Data) -> SerializationError? {
        let first = body.first { $0 > 0x20 }
        guard first != UInt8(ascii: "<"), !body.starts(with: Array("bplist".utf8)) else { return nil }
        do {
            _ = try JSONParser().parse(body)
            return nil
        } catch {
            return error
        }
    }
}
