// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension JSONValue: Codable {
    /// Decodes the value from any format.
    ///
    /// Numbers pass through the decoder's own types, so digits that neither `Int64`, `UInt64` nor `Double` can
    /// represent are lost here, and a number beyond the range of `Double` is refused; ``JSONParser`` keeps both. The
    /// members of an object are sorted by their names' UTF-8 bytes, because decoders do not keep their order. The names
    /// are data: a decoder that converts the keys of types leaves them unchanged. Of a name that occurs twice in an
    /// object, the decoder decides: ``ResponseDecoder`` keeps the last value, and refuses names that are canonically
    /// equivalent.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError.dataCorrupted` with the coding path for a number beyond the range of `Double`; the other
    ///   errors of the decoder.
    public init(from decoder: any Decoder) throws {
        // Only the kind of the container decides. An error of a member is thrown, not taken for another kind.
        if (try? decoder.container(keyedBy: NameKey.self)) != nil {
            // Decoders convert the keys of a keyed container, but not those of a dictionary.
            let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
            self = .object(Self.sorted(members))
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
            return
        }
        self = try Self.scalar(from: decoder.singleValueContainer())
    }

    private static func sorted(_ members: [String: JSONValue]) -> JSONObject {
        JSONObject(members.sorted { $0.key.precedesInUTF8($1.key) })
    }

    private static func scalar(from container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(UInt64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(Double.self), let number = JSONNumber(value) { return .number(number) }
        do {
            return .string(try container.decode(String.self))
        } catch {
            throw Self.numberRefusal(in: container) ?? error
        }
    }

    /// Returns the error for a number that is no finite `Double`; nil if the value is no number.
    private static func numberRefusal(in container: any SingleValueDecodingContainer) -> (any Error)? {
        do {
            _ = try container.decode(Double.self)
        } catch let error as DecodingError {
            guard case .dataCorrupted = error else { return nil }
        } catch {
            // Foundation's decoder of JSON throws an error of its own for a number that is out of range.
        }
        let reason = "a number that no finite Double holds"
        let context = DecodingError.Context(
            codingPath: container.codingPath,
            debugDescription: reason,
            underlyingError: SerializationError(.decodingFailed, reason: reason)
        )
        return DecodingError.dataCorrupted(context)
    }

    /// Encodes the value in any format.
    ///
    /// A ``ParameterEncoder`` keeps every digit of a number. In other encoders numbers pass through `Int64`, `UInt64` or
    /// `Double`, and the order of the members of an object is lost. The names are data: an encoder that converts the
    /// keys of types leaves them unchanged.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError.invalidValue` with the coding path for a number beyond the range of `Double`, and for an
    ///   object with two canonically equivalent names, which other formats cannot distinguish; the other errors of the
    ///   encoder.
    public func encode(to encoder: any Encoder) throws {
        if let node = encoder as? EncodingNode { return try node.encodeDocument(self) }
        switch self {
        case .object(let object):
            let members = Dictionary(object.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            guard members.count == object.count else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "An object has a name twice, in different Unicode forms."
                )
                throw EncodingError.invalidValue(self, context)
            }
            // Encoders convert the keys of a keyed container, but not those of a dictionary.
            var container = encoder.singleValueContainer()
            try container.encode(members)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            try self.encodeScalar(to: &container)
        }
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .number(let number):
            if let value = number.int64 {
                try container.encode(value)
            } else if let value = number.uint64 {
                try container.encode(value)
            } else if let value = number.double {
                try container.encode(value)
            } else {
                let context = EncodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "The number is too large for a Double."
                )
                throw EncodingError.invalidValue(self, context)
            }
        case .null, .array, .object: try container.encodeNil()
        }
    }
}
