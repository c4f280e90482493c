// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import BluebonnetCLI

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("é 🌸", "é 🌸"), ("a\u{1B}[31mb", "a\\u{1b}[31mb"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u{7F}\u{9B}2J", "\\u{7f}\\u{9b}2J"), ("\u{0}", "\\u{0}"), ("a\u{202E}b", "a\\u{202e}b"),
        ("\u{2028}", "\\u{2028}"),
        ("a\r\nb", "a\\r\\nb"),
    ])
    func `leaves no control character in a line`(_ text: String, _ expected: String) {
        #expect(TerminalText.escapedLine(text) == expected)
    }

    @Test(arguments: [
        ("a\nb\tc\n", "a\nb\tc\n"), ("a\r\nb\r\n", "a\nb\n"), ("a\rb", "a\\rb"), ("a\r", "a\\r"),
        ("\u{1B}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
        ("a\r\r\nb", "a\\r\nb"),
    ])
    func `keeps the lines of a text and nothing else`(_ text: String, _ expected: String) {
        #expect(TerminalText.escapedLines(text) == expected)
    }

    @Test(.bug(id: "F51"), arguments: ["\u{1B}", "\u{7}\n", "\u{9B}", "\u{202E}", "\r", "x"])
    func `the time of making a text harmless grows linearly`(_ piece: String) throws {
        let seconds = try Scaling.seconds { factor in
            let text = String(repeating: piece, count: 20_000 * factor)
            return { #expect(!TerminalText.escapedLines(text).isEmpty) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }
}
