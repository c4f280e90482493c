// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BluebonnetCLI

/// A command line is read as the parser of the help reads it.
@Suite struct CommandReadingTests {
    /// Values that some option takes, and others that none of numbers and names does.
    private static let values = [
        "", "1", "2.5", "-3", "nan", "+4", " 5", "99999999999999999999", "none", "auto", "basic", "https", "tus",
        "curl", "1.2", "tls1.3",
    ]

    /// A generator with a seed, so that a failure happens again.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ (self.state >> 29)
        }
    }

    /// Every option: those of numbers and names with every value.
    private static let words: [[String]] = RequestOption.all.flatMap { option -> [[String]] in
        guard option.takesValue else { return [["--\(option.name)"]] }
        let takesAnything = RequestCommand(OptionWords(["--\(option.name)=é", "localhost"])) != nil
        return (takesAnything ? ["", "--json"] : Self.values).map { ["--\(option.name)=\($0)"] }
    }

    private func check(_ words: [String]) {
        let canonical = OptionWords(words).canonical
        let parsed = (try? RequestCommand.parse(canonical)).map { String(describing: $0) }
        let read = RequestCommand(OptionWords(canonical)).map { String(describing: $0) }
        #expect(read == parsed, "\(words)")
    }

    @Test(arguments: Self.words) func `an option is read as the parser reads it`(_ words: [String]) {
        self.check(words + ["localhost"])
    }

    @Test(arguments: 0..<4) func `any command line is read as the parser reads it`(_ seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<12 {
            var words = ["localhost"]
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                words += Self.words.randomElement(using: &generator) ?? []
            }
            words.append(
                ["-vvv", "-qxx", "-jx", "a=1", "-f", "-o", "--no-json", "-F"].randomElement(using: &generator) ?? ""
            )
            words += ["POST", "x:y"].prefix(Int.random(in: 0...2, using: &generator))
            self.check(words)
        }
    }

    @Test(arguments: [
        [], ["--nope", "x"], ["-Q", "x"], ["--raw"], ["--json"], ["--help"], ["--version", "x"],
        ["--timeout=soon", "x"],
    ])
    func `what is no request is left to the parser`(_ words: [String]) {
        #expect(RequestCommand(OptionWords(OptionWords(words).canonical)) == nil)
    }

    /// Two commands that differ would not be told apart otherwise.
    @Test func `the description of a command holds the values of its options`() throws {
        let command = try #require(
            RequestCommand(OptionWords(["--raw=hidden-1", "-vv", "--pretty=none", "--timeout=7.25", "x"]))
        )
        let text = String(describing: command)
        for value in ["hidden-1", "2", "none", "7.25", "x"] { #expect(text.contains(value), "\(text)") }
    }
}
