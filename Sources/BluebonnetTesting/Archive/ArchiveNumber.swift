// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A number of an archive.
///
/// A decoder calls a document that has a number with a fraction, or one that is too large, in the place of an integer no
/// JSON, and does not say where it is. This type does.
struct ArchiveNumber<Value: Codable>: Codable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self.value = try container.decode(Value.self)
        } catch DecodingError.typeMismatch(let type, let context) {
            throw DecodingError.typeMismatch(type, context)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the number does not fit")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.value)
    }
}

extension ArchiveNumber: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Value.IntegerLiteralType) { self.init(Value(integerLiteral: value)) }
}
