// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Decodes bytes to a `Decodable` value; called once per response, from any thread.
///
/// ``ResponseDecoder`` decodes JSON. Foundation's `JSONDecoder` and `PropertyListDecoder` conform, and so can a decoder
/// of another format.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The value's type.
    ///   - data: The bytes.
    /// - Returns: The value.
    /// - Throws: Any error of the decoder; the ``SerializationError`` made from a `DecodingError` keeps its coding
    ///   path.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}
