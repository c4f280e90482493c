// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Encodes values of any `Encodable` type as parameters.
///
/// ```swift
/// struct Search: Encodable { var queryText: String; var pageSize: Int? }
/// var encoder = ParameterEncoder()
/// encoder.keys = .snakeCase
/// let parameters = try encoder.encode(Search(queryText: "tea", pageSize: nil))
/// let query = try QueryString.encode(parameters)  // "query_text=tea"
/// ```
///
/// Dictionaries remain dictionaries if their keys are text, integers or `CodingKeyRepresentable`; one with other
/// keys becomes an array of its keys and values, in the order of the keys' text. Arrays keep their order, sets
/// remain sets. A set with members that are encoded equally becomes an array of all its members, in the order in
/// which a set is written. A nil optional has no key unless the type encodes it explicitly. ``QueryFormat`` decides
/// how null, arrays, Booleans and nested keys are encoded in text.
public struct ParameterEncoder: Sendable {
    /// How `Data` is encoded: as ``ParameterValue/data(_:)`` unless changed.
    public var data = DataStrategy.unchanged

    /// How `Date` is encoded: as ``ParameterValue/date(_:)`` unless changed.
    public var dates = DateStrategy.unchanged

    /// How the keys of a type are converted: not at all unless changed; the keys of a dictionary never are.
    public var keys = KeyStrategy.unchanged

    /// How numbers that are not finite are encoded: as such, and refused in JSON, unless changed.
    public var floats = FloatStrategy.unchanged

    /// The maximum nesting of values: 128 levels unless changed.
    ///
    /// Deeper values are an error. Values above 500 have no effect. An `Encodable` type encodes its content by
    /// recursion, so the depth takes stack: about 1 KiB per level in a release build and 2 KiB in a debug build, and
    /// what the type's own function needs.
    public var maximumDepth = ParsingLimits.defaultDepth

    /// Values that the encoded types can read.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder.
    public init() {}

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: The parameters; a dictionary for most types.
    /// - Throws: ``SerializationError/Code/unencodableValue`` with the coding path, when a type refuses to be encoded,
    ///   or when ``keys`` makes two keys of one value equal; ``SerializationError/Code/invalidParameters`` for a
    ///   ``JSONValue`` with canonically equivalent names in one object, and for a key that occurs twice in
    ///   ``Parameters``; ``SerializationError/Code/limitExceeded`` when values are nested too deeply.
    public func encode(_ value: some Encodable) throws(SerializationError) -> ParameterValue {
        do {
            return try EncodingNode(options: self).box(value)
        } catch let error as SerializationError {
            throw error
        } catch EncodingError.invalidValue(_, let context) {
            throw SerializationError(
                .unencodableValue,
                reason: context.debugDescription,
                underlying: context.underlyingError,
                codingPath: context.codingPath.map(\.stringValue)
            )
        } catch {
            throw SerializationError(
                .unencodableValue,
                reason: "a value of type \(type(of: value)) refused to be encoded",
                underlying: error
            )
        }
    }
}

extension ParameterValue {
    /// Encodes a value of any `Encodable` type.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder; the default one unless given.
    /// - Throws: ``SerializationError`` as ``ParameterEncoder/encode(_:)`` does.
    public init(
        encoding value: some Encodable,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) {
        self = try encoder.encode(value)
    }
}

extension ParameterValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .number(let value): try container.encode(JSONValue.number(value))
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .set(let values): try container.encode(ParameterValue.sorted(values, maximumDepth: 500))
        case .dictionary(let values): try container.encode(values)
        }
    }
}
