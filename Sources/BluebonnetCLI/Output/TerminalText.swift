// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Makes text from a peer harmless for a terminal.
///
/// A terminal obeys control characters: they move the cursor, change the window's title and, on some, type commands. Each of them is
/// written as `\u{1b}` is read by a person: visibly.
enum TerminalText {
    /// Whether a scalar must not reach a terminal as it is.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar.changesDisplay
    }

    /// The text in one line: no control character survives, line breaks included.
    static func escapedLine(_ text: some StringProtocol) -> String {
        Self.escaped(text.unicodeScalars) { _ in false }
    }

    /// The text in as many lines as it has; line feeds, tabs and the carriage returns before line feeds survive.
    static func escapedLines(_ text: some StringProtocol) -> String {
        Self.escaped(text.unicodeScalars) { $0 == "\n" || $0 == "\t" }
    }

    private static func escaped(
        _ scalars: some Sequence<Unicode.Scalar>,
        keeping isKept: (Unicode.Scalar) -> Bool
    ) -> String {
        // A string, because appending to its view of scalars makes room for exactly that much, each time.
        var result = ""
        var heldReturn = false
        for scalar in scalars {
            if heldReturn {
                heldReturn = false
                // CR LF ends a line as LF does; a CR by itself would let the rest of the line overwrite its beginning.
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

    /// How an unsafe scalar is shown.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
}
