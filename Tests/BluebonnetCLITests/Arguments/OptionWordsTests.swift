// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TestSupport
import Testing

@testable import BluebonnetCLI

@Suite struct OptionWordsTests {
    /// A command line and the words that the parser is given.
    struct Case: CustomTestStringConvertible, Sendable {
        var words: [String]
        var canonical: [String]

        var testDescription: String { self.words.joined(separator: " ") }
    }

    static let cases = [
        Case(words: ["localhost"], canonical: ["--", "localhost"]),
        Case(words: ["--raw=", "localhost"], canonical: ["--raw", "", "--", "localhost"]),
        Case(words: ["--raw", "", "localhost"], canonical: ["--raw", "", "--", "localhost"]),
        Case(words: ["--raw", "--json", "x"], canonical: ["--raw=--json", "--", "x"]),
        Case(words: ["-vf", "x", "-o", "f"], canonical: ["--verbose", "--form", "--output=f", "--", "x"]),
        Case(words: ["-of", "x"], canonical: ["--output=f", "--", "x"]),
        Case(words: ["-vo=f", "x"], canonical: ["--verbose", "--output=f", "--", "x"]),
        Case(words: ["-a", "u:p=1", "x"], canonical: ["--auth=u:p=1", "--", "x"]),
        Case(words: ["x", "--", "-a=1", "--b"], canonical: ["--", "x", "-a=1", "--b"]),
        Case(words: ["x", "-"], canonical: ["--", "x", "-"]),
        Case(words: ["--raw"], canonical: ["--raw"]),
        // The last counts.
        Case(words: ["--timeout=1", "x", "--timeout", "2"], canonical: ["--timeout=2", "--", "x"]),
        Case(words: ["--verbose", "--headers", "x"], canonical: ["--headers", "--", "x"]),
        Case(words: ["-v", "--print=hb", "x"], canonical: ["--print=hb", "--", "x"]),
        Case(words: ["--json", "--form", "x"], canonical: ["--form", "--", "x"]),
        Case(words: ["--form", "--multipart", "x"], canonical: ["--form", "--multipart", "--", "x"]),
        Case(words: ["--form", "--multipart", "--json", "x"], canonical: ["--json", "--", "x"]),
        Case(words: ["-v", "--no-verbose", "x"], canonical: ["--", "x"]),
        Case(words: ["--auth=a:b", "x", "--no-auth"], canonical: ["--", "x"]),
        // What is overridden or taken back has overridden what stands before it.
        Case(words: ["-vv", "--headers", "--no-headers", "x"], canonical: ["--", "x"]),
        Case(words: ["--json", "--form", "--multipart", "--no-form", "x"], canonical: ["--multipart", "--", "x"]),
        Case(words: ["--no-verbose", "-v", "x"], canonical: ["--verbose", "--", "x"]),
        // What is no option is left to the parser, which says so.
        Case(words: ["--nope=1", "x"], canonical: ["--nope=1", "--", "x"]),
        Case(words: ["--verbose=1", "x"], canonical: ["--verbose=1", "--", "x"]),
        Case(words: ["--no-nope", "x"], canonical: ["--no-nope", "--", "x"]),
        Case(words: ["-vQ", "x"], canonical: ["-Q", "--verbose", "--", "x"]),
    ]

    @Test(arguments: Self.cases) func `the words are sorted and the last option counts`(_ one: Case) {
        #expect(OptionWords(one.words).canonical == one.canonical)
    }

    @Test(.bug(id: "F261"), arguments: ["--compress", "--format-options=json.indent:2"])
    func `the time of sorting the words grows linearly`(_ word: String) throws {
        let seconds = try Scaling.seconds { factor in
            let words = Array(repeating: word, count: 1000 * factor)
            return { #expect(OptionWords(words).options.count == words.count) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }

    @Test(arguments: RequestOption.all) func `every option of the table is one of the parser's`(_ option: RequestOption)
    {
        let help = BluebonnetCommand.helpMessage(for: RequestCommand.self, includeHidden: true)
        #expect(help.contains("--\(option.name)"))
        if let letter = option.letter { #expect(help.contains("-\(letter), --\(option.name)")) }
    }

    @Test func `every option of the parser is in the table`() {
        let help = BluebonnetCommand.helpMessage(for: RequestCommand.self, includeHidden: true)
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let words = line.split(separator: " ").prefix(2).map { $0.filter { $0 != "," } }
            let name = words.first { $0.hasPrefix("--") }?.dropFirst(2)
            #expect(name.map { RequestOption.byName[String($0)] != nil } ?? false, "\(line)")
        }
    }
}
