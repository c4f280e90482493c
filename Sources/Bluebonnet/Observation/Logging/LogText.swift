// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Text that is safe in a log record: on one line, and without terminal control sequences.
enum LogText {
    /// Returns the text with its control characters escaped as `\u{…}`; a tab is kept.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: Self.isUnsafe) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            if Self.isUnsafe(scalar) {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Whether a scalar ends a line, controls a terminal, or changes the order in which text is displayed.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        default: scalar.changesDisplay
        }
    }
}
