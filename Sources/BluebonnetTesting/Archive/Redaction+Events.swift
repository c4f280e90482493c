// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

extension Redaction {
    /// Removes the secrets from an event stream.
    ///
    /// Data that is JSON loses the values of secret members. Other data, and lines that no client evaluates, are removed
    /// if they contain a secret name.
    ///
    /// - Parameter text: The event stream.
    /// - Returns: The event stream with LF as its line break; nil if there are no secrets.
    func events(_ text: String) -> String? {
        let events = text.lines.split(omittingEmptySubsequences: false, whereSeparator: \.isEmpty)
        let hidden = events.map { self.event(Array($0)) }
        guard !zip(events, hidden).allSatisfy({ $0.elementsEqual($1) }) else { return nil }
        return hidden.joined(separator: [""]).joined(separator: "\n")
    }

    /// Returns the lines of one event without secrets.
    private func event(_ lines: [Substring]) -> [Substring] {
        let data = lines.compactMap { Self.field($0) == "data" ? Self.value($0) : nil }.joined(separator: "\n")
        let hidden = self.data(data)
        var isFirst = true
        return lines.compactMap { line in
            switch Self.field(line) {
            case "data":
                guard let hidden else { return line }
                defer { isFirst = false }
                return isFirst ? "data: \(hidden)" : nil
            case "event", "id", "retry": return line
            default: return self.isSecretNamed(in: line.utf8, isOpaque: false) ? nil : line
            }
        }
    }

    /// Returns the data of an event without secrets, in one line; nil if there are none.
    private func data(_ text: String) -> String? {
        let data = Data(text.utf8)
        guard let hidden = self.json(data) else {
            return self.isSecretNamed(in: text.utf8, isOpaque: false) ? Self.mark : nil
        }
        return hidden == data ? nil : String(decoding: hidden, as: UTF8.self)
    }

    /// The name of a line's field; empty for a comment.
    private static func field(_ line: Substring) -> Substring {
        Substring(line.utf8.prefix { $0 != UInt8(ascii: ":") })
    }

    private static func value(_ line: Substring) -> Substring {
        let value = line.utf8.dropFirst(self.field(line).utf8.count + 1)
        return Substring(value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
    }
}
