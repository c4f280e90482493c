// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ParameterValue {
    /// The kind of the value, for error messages.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .int, .unsigned, .double, .number: "a number"
        case .string: "text"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .set: "a set"
        case .dictionary: "a dictionary"
        }
    }

    /// Whether this is an array, a set or a dictionary.
    var isContainer: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    /// Returns the text of a single value; empty for null and for containers.
    func text(bools: QueryFormat.Bools = .numeric) throws(SerializationError) -> String {
        switch self {
        case .null, .array, .set, .dictionary: ""
        case .bool(let value): bools == .numeric ? (value ? "1" : "0") : (value ? "true" : "false")
        case .int(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): Self.text(of: value)
        case .number(let value): value.text
        case .string(let value): value
        case .data(let value): value.base64EncodedString()
        case .date(let value): try ISO8601Text.text(of: value)
        }
    }

    /// Returns the shortest text that parses to the same number, without a trailing `.0`.
    static func text(of number: Double) -> String {
        let text = number.description
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }
}
