// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The parameters of a header value such as `attachment; filename="a.txt"` (RFC 9110 section 5.6.6).
package struct HeaderParameters {
    private static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// The text before the first semicolon, in lower case.
    package var value: String

    /// The parameters by their lower-case names; the first of several with the same name is kept.
    package var parameters: [String: String] = [:]

    /// Parses a value; malformed parts are skipped.
    package init(_ text: String) {
        var rest = Array(text.utf8)[...]
        self.value = Self.token(rest.prefix { $0 != Self.semicolon })
        rest = rest.drop { $0 != Self.semicolon }
        while rest.popFirst() != nil {
            rest = rest.drop(while: \.isBlank)
            let name = rest.prefix { $0 != Self.equals && $0 != Self.semicolon }
            rest = rest.dropFirst(name.count)
            guard rest.first == Self.equals else { continue }
            rest.removeFirst()
            let value = Self.word(from: &rest)
            let key = Self.token(name)
            if !key.isEmpty, self.parameters[key] == nil { self.parameters[key] = value }
            rest = rest.drop { $0 != Self.semicolon }
        }
    }

    private static func token(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.filter { !$0.isBlank }.map(\.asciiLowercased), as: UTF8.self)
    }

    private static func word(from rest: inout ArraySlice<UInt8>) -> String {
        rest = rest.drop(while: \.isBlank)
        guard rest.first == Self.quote else {
            let word = rest.prefix { $0 != Self.semicolon }
            rest = rest.dropFirst(word.count)
            return String(decoding: word.trimmingBlanks, as: UTF8.self)
        }
        rest.removeFirst()
        var word: [UInt8] = []
        while let byte = rest.popFirst(), byte != Self.quote {
            // Browsers write Windows paths without escapes: a backslash before a letter is literal.
            if byte == Self.backslash, let next = rest.first, next == Self.quote || next == Self.backslash {
                word.append(next)
                rest.removeFirst()
            } else {
                word.append(byte)
            }
        }
        return String(decoding: word, as: UTF8.self)
    }
}
