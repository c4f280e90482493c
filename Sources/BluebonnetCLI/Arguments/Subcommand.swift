// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The first word of a command line that is no request, and the options behind it; the argument parser defines their meaning.
enum Subcommand: String, CaseIterable {
    case demo, serve, manual, help, curl

    /// The options of the subcommand itself; `curl` has those of curl.
    var options: [RequestOption] {
        let help = RequestOption(name: "help")
        return switch self {
        case .demo: [RequestOption(name: "size", takesValue: true), help]
        case .serve: Self.serveOptions + [help]
        case .manual: [help]
        case .help, .curl: []
        }
    }

    private static let serveOptions = [
        RequestOption(name: "port", letter: "p", takesValue: true),
        RequestOption(name: "tls"),
        RequestOption(name: "root", takesValue: true),
        RequestOption(name: "folder", takesValue: true),
        RequestOption(name: "echo"),
        RequestOption(name: "fault", takesValue: true),
        RequestOption(name: "replay", takesValue: true),
    ]

    /// Returns the subcommand whose name is one edit away from a word, whatever its case; nil if there is none.
    static func mistyped(_ word: String) -> Self? {
        let word = word.asciiLowercased
        return Self.allCases.first { EditDistance.between($0.rawValue, word) == 1 }
    }

    /// Whether an option, as it is written, is one of the subcommand's, or nearly.
    func takes(_ option: String) -> Bool {
        if self == .curl { return CurlOption.option(written: option) != nil }
        guard option.starts(withScalars: "--") else {
            return self.options.contains { $0.letter.map { "-\($0)" } == option }
        }
        let names = self.options.map(\.name).filter { $0 != "help" }
        return !NameGuess(names: names).nearest(to: String(option.droppingScalars(2))).names.isEmpty
    }
}
