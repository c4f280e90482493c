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
            if let malformation = Self.malformation(of: body, for: decoder, limits: limits, error: error) {
                throw malformation
            }
            throw Self.error(for: error)
        } catch {
            throw SerializationError(
                .decodingFailed,
                reason: "the body could not be decoded: an error of type \(Swift.type(of: error)) was thrown",
                underlying: error
            )
        }
    }

    /// Returns the error for a body that is not valid in its format; nil if it is valid.
    ///
    /// Decoders report corrupted data for a malformed document, for a value that a type refuses and, if it is Foundation's
    /// decoder of JSON, for a number that its type cannot hold. A parser that knows no types tells these apart.
    private static func malformation(
        of body: Data,
        for decoder: any DataDecoder,
        limits: ParsingLimits,
        error: DecodingError
    ) -> SerializationError? {
        guard case .dataCorrupted(let context) = error else { return nil }
        // The parser of property lists has accepted the body before it was decoded.
        if decoder is PropertyListDecoder { return nil }
        if decoder is ResponseDecoder || decoder is JSONDecoder {
            do throws(SerializationError) {
                _ = try JSONParser(limits: limits).parse(body)
                return nil
            } catch {
                // The parser would complain about JSON5, whose syntax only the decoder knows.
                guard (decoder as? JSONDecoder)?.allowsJSON5 == true else { return error }
            }
        }
        guard context.codingPath.isEmpty else { return nil }
        return SerializationError(
            .malformedBody,
            reason: "the body is not of the format that was expected",
            underlying: error
        )
    }

    private static func error(for error: DecodingError) -> SerializationError {
        let (context, problem) = Self.describe(error)
        return SerializationError(
            .decodingFailed,
            reason: "the body does not fit the type: \(problem)\(Self.place(context.codingPath, of: error))",
            underlying: error,
            codingPath: context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        )
    }

    private static func place(_ path: [any CodingKey], of error: DecodingError) -> String {
        // Foundation's decoder of JSON does not tell where a number is that its type cannot hold.
        if path.isEmpty, case .dataCorrupted = error { return "" }
        guard let first = path.first else { return " at the top level" }
        let rest = path.dropFirst().map(Self.safeName).map { $0.utf8.first == UInt8(ascii: "[") ? $0 : "." + $0 }
        return " at " + Self.safeName(of: first) + rest.joined()
    }

    /// The name of a key where it is an index or a name of the program, and a star for text of the body, such as the key
    /// of a dictionary.
    ///
    /// A case of an enum without a value can be written in the program alone. Any other key may hold what was read.
    private static func safeName(of key: any CodingKey) -> String {
        // Foundation's decoders describe an index so. A key of a dictionary that is a number is that number alone.
        if let index = key.intValue, key.stringValue.utf8.elementsEqual(("Index " + String(index)).utf8) {
            return "[\(index)]"
        }
        let mirror = Mirror(reflecting: key)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "*"
    }

    private static func describe(_ error: DecodingError) -> (context: DecodingError.Context, problem: String) {
        switch error {
        case .typeMismatch(let type, let context): (context, "expected \(Self.name(of: type))\(Self.found(context))")
        case .valueNotFound(let type, let context): (context, "\(Self.name(of: type)) is missing or null")
        case .keyNotFound(let key, let context): (context, "no member “\(key.stringValue)”")
        case .dataCorrupted(let context): (context, Self.problem(of: context))
        @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "the decoder failed")
        }
    }

    /// The name of a type; the containers that Foundation's decoders ask for are named as in JSON.
    private static func name(of type: any Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        return type == [Any].self ? "an array" : "\(type)"
    }

    /// The kind of value that was found in place of another; empty if Foundation's description does not contain it.
    private static func found(_ context: DecodingError.Context) -> String {
        let text = context.debugDescription.utf8.dropLast()
        let kind = Self.kinds.first { text.reversed().starts(with: " but found \($0.key) instead".utf8.reversed()) }
        return kind.map { ", found \($0.value)" } ?? ""
    }

    /// The kinds of values, by their names in the descriptions of Foundation's decoder of JSON.
    private static let kinds: KeyValuePairs = [
        "a string": "a string", "number": "a number", "bool": "a Boolean", "an array": "an array",
        "a dictionary": "an object",
    ]

    /// The reason of the library's own types; that of others may contain text of the body.
    private static func problem(of context: DecodingError.Context) -> String {
        if let error = context.underlyingError as? SerializationError { return error.reason }
        guard context.codingPath.isEmpty else { return "the value cannot be converted" }
        return "a value cannot be converted, such as a number that its type cannot hold"
    }
}
