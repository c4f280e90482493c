// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A JSON document under construction; members keep their order.
indirect enum JSONOutput: Sendable {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSONOutput])
    case object([(String, JSONOutput)])
    /// Text known to be valid JSON.
    case verbatim(String)

    /// Returns a list of pairs, each an array of two strings, which keeps the order and repetitions of fields.
    static func pairs(_ pairs: some Sequence<(name: String, value: String)>) -> JSONOutput {
        .array(pairs.map { .array([.string($0.name), .string($0.value)]) })
    }

    /// Returns a string, or null.
    static func optional(_ text: String?) -> JSONOutput {
        text.map { .string($0) } ?? .null
    }

    /// The document.
    var text: String {
        var text = ""
        self.write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .string(let value): Self.write(value, to: &text)
        case .verbatim(let value): text += value
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
