// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Decodes a response to a `Decodable` type, from JSON unless given another decoder.
///
/// An empty body, a 204 or 205 and the response to a HEAD request become the ``EmptyResponse`` value of the type: nil
/// for an optional, ``EmptyBody``. Other types refuse them with code `emptyBody`.
///
/// If a name occurs twice in an object of a JSON document, the last value counts, for every type and for Foundation's
/// `JSONDecoder`, too. Two names of an object that differ only in their Unicode form are refused with code
/// `decodingFailed`, unless the type is ``JSONValue``, which keeps both. A document in JSON5 is left to a `JSONDecoder` that
/// allows it, and so are its names; the limits hold for it, too.
///
/// It is not `Codable`, because Foundation's decoders are not.
public struct DecodableResponseSerializer<Output: Decodable & Sendable>: ResponseSerializer {
    /// Which responses are accepted.
    public var validation: ResponseValidation

    /// The decoder; nil for that of the session that sends, which is a default ``ResponseDecoder`` unless set.
    public var decoder: (any DataDecoder)?

    /// The limits of a document: bytes for every format, depth and elements for JSON and property lists.
    ///
    /// Foundation's `JSONDecoder` refuses more than 512 levels regardless of this limit.
    public var limits: ParsingLimits

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder, that of the session that sends unless given. Another ``DataDecoder`` reads other formats, for example
    ///     Foundation's `PropertyListDecoder`.
    ///   - validation: Which responses are accepted; the JSON types with a status of 200 to 299 unless given.
    ///   - limits: The limits beyond which a document is refused.
    public init(
        _ type: Output.Type = Output.self,
        decoder: (any DataDecoder)? = nil,
        validation: ResponseValidation = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes),
        limits: ParsingLimits = ParsingLimits()
    ) {
        self.validation = validation
        self.decoder = decoder
        self.limits = limits
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func decoding(with decoder: ResponseDecoder) -> Self {
        guard self.decoder == nil else { return self }
        var serializer = self
        serializer.decoder = decoder
        return serializer
    }

    public func serialize(_ response: Response) throws(SerializationError) -> Output {
        do {
            try self.validation.validate(response, advice: .decode(Output.self))
        } catch {
            throw Self.advised(error)
        }
        return try response.decoded(Output.self, with: self.decoder ?? ResponseDecoder(), limits: self.limits)
    }
}

extension DecodableResponseSerializer {
    /// Adds what to use instead, if the text or the bytes of another content type may have been expected.
    private static func advised(_ error: SerializationError) -> SerializationError {
        guard error.code == .unacceptableContentType else { return error }
        var error = error
        if Output.self == String.self { error.reason += "; for text that is not JSON, use serializer: .string" }
        if Output.self == Data.self { error.reason += "; for the bytes of the body, use serializer: .data" }
        return error
    }
}

extension Response {
    /// Decodes the body; see ``DecodableResponseSerializer`` for what is empty.
    package func decoded<Value: Decodable>(
        _ type: Value.Type,
        with decoder: any DataDecoder,
        limits: ParsingLimits = ParsingLimits()
    ) throws(SerializationError) -> Value {
        if self.hasNoContent || JSONResponseSerializer.isSingleSpace(self) { return try self.emptyValue() }
        do {
            return try BodyDecoding.decode(type, from: self.body, with: decoder, limits: limits)
        } catch {
            throw error.about(self)
        }
    }

    private func emptyValue<Value>() throws(SerializationError) -> Value {
        if let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue as? Value { return value }
        throw SerializationError(
            .emptyBody,
            reason:
                "the response has no body and \(Value.self) needs one; ask for \(Value.self)? or EmptyBody where that may happen",
            response: self
        )
    }
}

extension ResponseSerializer {
    /// Decodes the body, from JSON unless the decoder is for another format.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder, that of the session that sends unless given.
    ///   - validation: Which responses are accepted; the JSON types with a status of 200 to 299 unless given.
    ///   - limits: The limits beyond which a document is refused.
    /// - Returns: The serializer.
    public static func decodable<Value>(
        _ type: Value.Type,
        decoder: (any DataDecoder)? = nil,
        validation: ResponseValidation = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes),
        limits: ParsingLimits = ParsingLimits()
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type, decoder: decoder, validation: validation, limits: limits)
    }
}
