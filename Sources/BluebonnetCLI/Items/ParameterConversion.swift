// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The conversion of a JSON document into the parameters of a request.
enum ParameterConversion {
    /// Converts a value.
    ///
    /// - Throws: `CommandFailure` for a number that cannot be represented exactly, and for an object with two names
    ///   that are canonically equivalent: JSON distinguishes them, the keys of parameters do not.
    static func parameter(_ value: JSONValue) throws(CommandFailure) -> ParameterValue {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .number(let number): return try Self.number(number)
        case .array(let elements):
            var parameters: [ParameterValue] = []
            for element in elements { parameters.append(try Self.parameter(element)) }
            return .array(parameters)
        case .object(let members):
            var parameters: [String: ParameterValue] = [:]
            for member in members {
                guard parameters.updateValue(try Self.parameter(member.value), forKey: member.key) != nil else {
                    continue
                }
                throw .usage(
                    "the key “\(member.key)” stands twice in an object, in two Unicode forms: send the document with --raw"
                )
            }
            return .dictionary(parameters)
        }
    }

    private static func number(_ number: JSONNumber) throws(CommandFailure) -> ParameterValue {
        let isWhole = number.text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        if isWhole {
            if let value = number.int64 { return .int(value) }
            if let value = number.uint64 { return .unsigned(value) }
            throw .usage("the number \(number.text) is too large for parameters: send the document with --raw")
        }
        guard let value = number.double else {
            throw .usage("the number \(number.text) is too large for parameters: send the document with --raw")
        }
        // Many decimal numbers are not exactly representable as `Double`.
        guard JSONNumber(value) == number else {
            throw .usage(
                "the number \(number.text) cannot be kept exactly in parameters: send the document with --raw"
            )
        }
        return .double(value)
    }
}
