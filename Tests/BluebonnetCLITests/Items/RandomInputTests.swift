// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@testable import BluebonnetCLI

@Suite struct RandomInputTests {
    /// A generator with a seed, so that a failure happens again.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ (self.state >> 29)
        }
    }

    private static let pieces = [
        "=", "==", ":=", ":", ";", "@", "=@", ":=@", "\\", "[", "]", "[]", "[0]", "[99999]", "a", "Header", " ", "\"",
        "'", "{", "}",
        ",", "1", "-", "0.5e", "true", "null", "\n", "\r\n", "\0", "\u{1B}", "é", "🌸", "%", "%zz", "%2F", "/", "//",
        "..", "http://",
        "https:", "::1", "[::1]", ":8080", "99999", "?", "#", "filename", "filename*", "UTF-8''", "type=", "localhost",
        "\u{202E}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{37E}",
    ]

    @Test(arguments: 0..<8)
    func `nothing that is typed or received traps`(_ seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<1500 {
            let count = Int.random(in: 0...9, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            self.feed(text)
        }
    }

    private func feed(_ text: String) {
        _ = try? ItemParser.parse(text)
        _ = try? RequestItems([text], home: "/nonexistent")
        _ = try? CommandWords([text, "x"])
        if let target = try? TargetURL(text) {
            #expect(target.url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
        if let path = try? KeyPath(text), let document = try? JSONDocument.make(of: [(path, .string(text))]) {
            #expect(!document.description.isEmpty)
        }
        let name = DownloadName.name(disposition: text, urlPath: text)
        #expect(
            !name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")) && name.utf8.first != UInt8(ascii: ".")
                && !name.utf8.contains(0)
        )
        let line = TerminalText.escapedLine(text)
        #expect(!line.unicodeScalars.contains { TerminalText.isUnsafe($0) })
        var printer = BodyPrinter(
            sink: MemorySink(),
            style: OutputStyle(isColoured: true, isFormatted: true, isEscaped: true),
            mediaType: "application/json"
        )
        _ = try? Array(text.utf8).withUnsafeBytes { try printer.write($0) }
        _ = try? printer.finish()
    }
}
