// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Writes parameters as JSON.
enum ParameterJSON {
    /// How deep a document may be; deeper ones are an error.
    static let maximumDepth = 512

    static func data(
        _ parameters: ParameterValue,
        isPretty: Bool,
        sortsKeys: Bool
    ) throws(SerializationError) -> Data {
        var output = ByteBuilder(capacity: 1_024)
        try Self.write(parameters, depth: 1, to: &output)
        return output.makeData()
    }

    private static func write(
        _ value: ParameterValue,
        depth: Int,
        to output: inout ByteBuilder
    ) throws(SerializationError) {
        guard depth <= Self.maximumDepth else {
            throw SerializationError(.limitExceeded, reason: "The parameters are nested more than 512 levels deep.")
        }
        switch value {
        case .null: output.append("null")
        case .bool(let value): output.append(value ? "true" : "false")
        case .int(let value): output.append(String(value))
        case .unsigned(let value): output.append(String(value))
        case .double(let value):
            guard value.isFinite else {
                throw SerializationError(.unencodableValue, reason: "JSON has no number for \(value).")
            }
            output.append(ParameterValue.text(of: value))
        case .string(let value): Self.writeString(value, to: &output)
        case .data, .date: Self.writeString(try value.text(), to: &output)
        case .array(let values): try Self.write(values, depth: depth, to: &output)
        case .set(let values):
            try Self.write(ParameterValue.sorted(values, maximumDepth: Self.maximumDepth), depth: depth, to: &output)
        case .dictionary(let values):
            output.append("{")
            for (index, entry) in SortedEntries(values).entries.enumerated() {
                if index > 0 { output.append(",") }
                Self.writeString(entry.key, to: &output)
                output.append(":")
                do throws(SerializationError) {
                    try Self.write(entry.value, depth: depth + 1, to: &output)
                } catch {
                    throw error.inside(entry.key)
                }
            }
            output.append("}")
        }
    }

    private static func write(
        _ values: [ParameterValue],
        depth: Int,
        to output: inout ByteBuilder
    ) throws(SerializationError) {
        output.append("[")
        for (index, value) in values.enumerated() {
            if index > 0 { output.append(",") }
            do throws(SerializationError) {
                try Self.write(value, depth: depth + 1, to: &output)
            } catch {
                throw error.inside(String(index))
            }
        }
        output.append("]")
    }

    private static func writeString(_ text: String, to output: inout ByteBuilder) {
        output.append("\"")
        for byte in text.utf8 {
            switch byte {
            case 0x22: output.append("\\\"")
            case 0x5C: output.append("\\\\")
            case 0x00..<0x20:
                output.append("\\u00")
                output.append(String(byte >> 4, radix: 16))
                output.append(String(byte & 15, radix: 16))
            default: output.append(byte)
            }
        }
        output.append("\"")
    }
}
