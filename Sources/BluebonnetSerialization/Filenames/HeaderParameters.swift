// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The parameters of a header value such as `attachment; filename="a.txt"` (RFC 9110 section 5.6.6).
package struct HeaderParameters {
    /// What stands before the first semicolon, in lower case.
    package var value: String

    /// The parameters by their names in lower case; the first of a name counts.
    package var parameters: [String: String] = [:]

    /// Reads a value; what cannot be read is left out.
    package init(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        self.value = Self.token(rest.prefix { $0 != ";" })
        rest = rest.drop { $0 != ";" }
        while rest.popFirst() != nil {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            let name = Self.token(rest.prefix { $0 != "=" && $0 != ";" })
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            let value = Self.word(from: &rest)
            if !name.isEmpty, self.parameters[name] == nil { self.parameters[name] = value }
            rest = rest.drop { $0 != ";" }
        }
    }

    private static func token(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        Self.text(scalars.filter { $0 != " " && $0 != "\t" }).lowercased()
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private static func word(from rest: inout ArraySlice<Unicode.Scalar>) -> String {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else {
            var word = rest.prefix { $0 != ";" }
            rest = rest.drop { $0 != ";" }
            while word.last == " " || word.last == "\t" { word.removeLast() }
            return Self.text(word)
        }
        rest.removeFirst()
        var word: [Unicode.Scalar] = []
        while let scalar = rest.popFirst(), scalar != "\"" {
            // Browsers write a path of Windows without escapes: a backslash before a letter is one.
            if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                word.append(next)
                rest.removeFirst()
            } else {
                word.append(scalar)
            }
        }
        return Self.text(word)
    }
}
