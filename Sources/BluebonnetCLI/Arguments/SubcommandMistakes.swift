// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// Mistakes in the name of a subcommand, and in the words behind it.
enum SubcommandMistakes {
    /// What to write instead of the words behind a subcommand; nil if there is nothing to say about them.
    static func explanation(of words: [String], behind subcommand: Subcommand) -> String? {
        guard subcommand != .curl else { return nil }
        guard subcommand != .help else { return words.first.flatMap(Self.explanation(ofTopic:)) }
        var rest = words[...]
        while let word = rest.popFirst(), word != "--" {
            guard word.starts(withScalars: "-"), word.utf8.count > 1 else {
                if let explained = Self.explanation(ofArgument: word, behind: subcommand) { return explained }
                continue
            }
            let name = String(word.split(atScalar: "=")?.before ?? word[...])
            if let option = subcommand.options.first(where: { Self.isOption($0, name) }) {
                if option.takesValue, name == word { rest = rest.dropFirst() }
                continue
            }
            return Self.explanation(ofOption: name, behind: subcommand)
        }
        return nil
    }

    /// What to write instead of a request whose options are those of a subcommand; nil if there is nothing to say about it.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - words: The same, read as a request.
    /// - Returns: What to write.
    static func explanation(of arguments: [String], _ words: OptionWords) -> String? {
        guard let first = arguments.first else { return nil }
        let unknown = words.unknown.map { String($0.split(atScalar: "=")?.before ?? $0[...]) }
        // `-p 8080`, which a request takes for what is to be printed.
        let isPort = words.value(of: "print").flatMap { Int($0) } != nil
        if let meant = Subcommand.mistyped(first), unknown.contains(where: meant.takes) || meant == .serve && isPort {
            return "“\(first)” is not a command: write “\(Self.text([meant.rawValue] + arguments.dropFirst()))”"
        }
        for option in unknown {
            let owner = [Subcommand.serve, .demo].first { command in
                command.options.contains { "--\($0.name)" == option }
            }
            guard let owner else { continue }
            guard words.positional.contains(owner.rawValue) else {
                return "unknown option “\(option)”: it is an option of “bluebonnet \(owner.rawValue)”"
            }
            let others = arguments.filter { $0 != owner.rawValue }
            return "the command stands before its options: write “\(Self.text([owner.rawValue] + others))”"
        }
        return nil
    }

    /// What to write for help about a word that has none of its own; nil for one that has.
    private static func explanation(ofTopic word: String) -> String? {
        switch Subcommand(rawValue: word) {
        case .demo, .serve, .manual, .help: return nil
        case .curl: return CurlTransfers.usage
        case nil where word.starts(withScalars: "-"): return nil
        case nil:
            let commands = Subcommand.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
            return "“\(word)” is none of the commands \(commands); “bluebonnet --help” is about requests"
        }
    }

    private static func isOption(_ option: RequestOption, _ name: String) -> Bool {
        name == "--\(option.name)" || option.letter.map { name == "-\($0)" } ?? false
    }

    private static func explanation(ofOption name: String, behind subcommand: Subcommand) -> String? {
        let guess = NameGuess(names: subcommand.options.map(\.name))
        if name.starts(withScalars: "--") {
            let names = guess.candidates(for: String(name.droppingScalars(2)))
            if !names.isEmpty { return "unknown option “\(name)”: did you mean \(NameGuess.text(names))?" }
            let isOfRequest = RequestOption.byName[String(name.droppingScalars(2))] != nil && name != "--version"
            guard isOfRequest else { return nil }
            return "“bluebonnet \(subcommand.rawValue)” has no option “\(name)”: it is one of a request"
        }
        // A word as short as “-h” is no mistyped name.
        guard name.utf8.count > 3 else {
            return name == "-h" ? "unknown option “-h”: did you mean “--help”?" : nil
        }
        let names = guess.candidates(for: String(name.droppingScalars(1)))
        return names.isEmpty ? nil : "unknown option “\(name)”: did you mean \(NameGuess.text(names))?"
    }

    /// What to write instead of an argument, of which no subcommand takes any.
    private static func explanation(ofArgument word: String, behind subcommand: Subcommand) -> String? {
        let isNumber = Int(word).map { $0 > 0 } ?? false
        let isPath = word == "." || word.contains(scalar: "/")
        let option: String? =
            switch subcommand {
            case .serve where isNumber: "--port"
            case .serve where word.ends(withScalars: ".har"): "--replay"
            case .serve where isPath: "--folder"
            case .demo where isNumber: "--size"
            default: nil
            }
        return option.map { "“\(word)” is not an option: write \($0) \(ShellWord.quoted(word))" }
    }

    /// A command line as it is typed.
    private static func text(_ words: some Sequence<String>) -> String {
        "bluebonnet " + words.map { ShellWord.quoted(TargetURL.redacted($0)) }.joined(separator: " ")
    }
}
