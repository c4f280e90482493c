// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Turns a reply into a `Decodable` type, from JSON unless given another decoder.
///
/// An empty body, a 204 or 205 and the answer to a HEAD request become the ``EmptyResponse`` value of the type: nil for
/// an optional, ``Empty``. Other types refuse them with code `emptyBody`.
public struct DecodableResponseSerializer<Output: Decodable & Sendable>: ResponseSerializer {
    /// Which replies are accepted.
    public var validation: ResponseValidation

    /// The decoder.
    public var decoder: any DataDecoder

    /// What a document may not exceed: bytes for every format, depth and elements for binary property lists.
    public var limits: ParsingLimits

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder, Foundation's `JSONDecoder` with its defaults unless given.
    ///   - validation: Which replies are accepted; the JSON types with a status of 200 to 299 unless given.
    ///   - limits: What a document may not exceed.
    public init(
        _ type: Output.Type = Output.self,
        decoder: any DataDecoder = JSONDecoder(),
        validation: ResponseValidation = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes),
        limits: ParsingLimits = ParsingLimits()
    ) {
        self.validation = validation
        self.decoder = decoder
        self.limits = limits
    }

    public func serialize(_ response: Response) throws(SerializationError) -> Output {
        try self.validation.validate(response)
        if response.hasNoContent || JSONResponseSerializer.isSingleSpace(response) {
            return try self.emptyValue(for: response)
        }
        do {
            try self.checkLimits(response.body)
            return try DecodingFailure.translate(body: response.body) { () throws in
                try self.decoder.decode(Output.self, from: response.body)
            }
        } catch {
            throw error.about(response)
        }
    }

    /// Refuses what the decoder would expand without end: references that are shared in a binary property list.
    private func checkLimits(_ body: Data) throws(SerializationError) {
        try self.limits.check(byteCount: body.count, of: "reply")
        if body.withUnsafeBytes(PropertyListParser.isBinary) {
            _ = try PropertyListParser(limits: self.limits).parse(body)
        }
    }

    private func emptyValue(for response: Response) throws(SerializationError) -> Output {
        if let type = Output.self as? any EmptyResponse.Type, let value = type.emptyValue as? Output { return value }
        throw SerializationError(
            .emptyBody,
            reason:
                "The reply has no body and \(Output.self) needs one. Ask for \(Output.self)? or Empty where that may happen.",
            response: response
        )
    }
}

extension ResponseSerializer {
    /// The body decoded from JSON.
    ///
    /// - Parameter type: The type of the value.
    /// - Returns: The serializer.
    public static func decodable<Value>(_ type: Value.Type) -> Self
    where Self == DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type)
    }
}
