// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Escaping of text from a server for display on a terminal.
///
/// A terminal interprets control characters: they move the cursor, change the window's title and, on some terminals,
/// type commands. Each of them is replaced with a visible escape such as `\u{1b}`.
enum TerminalText {
    /// Returns whether a scalar must be escaped on a terminal.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar.changesDisplay
    }

    /// Returns the text as one line, with all control characters escaped, including line breaks.
    static func escapedLine(_ text: some StringProtocol) -> String {
        Self.escaped(text.unicodeScalars) { _ in false }
    }

    /// Returns the text with its lines; line feeds, tabs and carriage returns before line feeds are kept.
    static func escapedLines(_ text: some StringProtocol) -> String {
        Self.escaped(text.unicodeScalars) { $0 == "\n" || $0 == "\t" }
    }

    private static func escaped(
        _ scalars: some Sequence<Unicode.Scalar>,
        keeping isKept: (Unicode.Scalar) -> Bool
    ) -> String {
        // A string, because appending to its view of scalars reserves exactly the space for each scalar.
        var result = ""
        var heldReturn = false
        for scalar in scalars {
            if heldReturn {
                heldReturn = false
                // CR LF is a line break like LF; a CR alone would let the rest of the line overwrite its beginning.
                if scalar != "\n" || !isKept("\n") { result += Self.visible("\r") }
            }
            if scalar == "\r" {
                heldReturn = true
            } else if Self.isUnsafe(scalar), !isKept(scalar) {
                result += Self.visible(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        if heldReturn { result += Self.visible("\r") }
        return result
    }

    /// Returns the escape of an unsafe scalar.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
}
