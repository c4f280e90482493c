// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A word of a command of curl: a URL, or an option with its value.
enum CurlArgument: Sendable {
    case url(String)
    case option(CurlOption, String)

    /// Whether it is the option of a name.
    func isOption(_ name: String) -> Bool {
        if case .option(let option, _) = self { option.name == name } else { false }
    }

    /// Parses a command.
    ///
    /// - Parameter words: The words after `curl`.
    /// - Returns: What they are, in their order; the value of an option that takes none is empty.
    /// - Throws: `CommandFailure` for an option that is not known, or lacks its value.
    static func read(_ words: [String]) throws(CommandFailure) -> [Self] {
        var arguments: [Self] = []
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            if !takesOptions || word == "-" || !word.starts(withScalars: "-") {
                arguments.append(.url(word))
            } else if word == "--" {
                takesOptions = false
            } else {
                arguments += try Self.options(word, &rest)
            }
        }
        return arguments
    }

    /// The options of a word that begins with a hyphen, with a value from the next word where one is taken.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - rest: What follows it.
    ///   - depth: In how many files it stands that name each other.
    /// - Returns: The options, with those of files in the place of `--config`.
    /// - Throws: `CommandFailure` as ``read(_:)``.
    static func options(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        depth: Int = 0
    ) throws(CommandFailure) -> [Self] {
        let written =
            word.starts(withScalars: "--") ? [try Self.long(word, &rest)] : try Self.letters(word, &rest)
        var arguments: [Self] = []
        for argument in written {
            guard case .option(let option, let value) = argument else { continue }
            switch option.name {
            case "config": arguments += try CurlConfigFile.arguments(value, depth: depth)
            default: arguments.append(argument)
            }
        }
        return arguments
    }

    private static func letters(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> [Self] {
        var arguments: [Self] = []
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = CurlOption.byLetter[letter] else {
                throw Self.unknown("-\(letter)")
            }
            guard option.takesValue else {
                arguments.append(.option(option, ""))
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else { throw Self.lacksValue(option) }
            return arguments + [.option(option, value)]
        }
        return arguments
    }

    private static func long(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure) -> Self {
        let option = try Self.option(named: word)
        guard let value = option.takesValue ? rest.popFirst() : "" else { throw Self.lacksValue(option) }
        return .option(option, value)
    }

    /// The option of a name, which may be cut where what is left of it is no other's beginning.
    private static func option(named word: String) throws(CommandFailure) -> CurlOption {
        let name = String(word.droppingScalars(2))
        if let option = CurlOption.byName[name] { return option }
        let longer = CurlOption.byName.values.filter { $0.name.starts(withScalars: name) }
        guard let option = longer.first else { throw Self.unknown(word) }
        guard longer.count == 1 else {
            let names = longer.map { "--\($0.name)" }.sorted().joined(separator: " or ")
            throw .usage("curl's \(word) may be \(names): write the whole name")
        }
        return option
    }

    /// An option may be left out only by a person who knows what it does.
    ///
    /// What stands behind “=” is not repeated, because it may be a password.
    private static func unknown(_ written: String) -> CommandFailure {
        let isName = written.starts(withScalars: "--")
        let word = isName ? String(written.split(atScalar: "=")?.before ?? written[...]) : written
        if isName, let option = CurlOption.byName[String(word.droppingScalars(2))] {
            let rule = option.takesValue ? "takes its value as a word of its own, without “=”" : "takes no value"
            return .usage("curl's \(word) \(rule)")
        }
        let names = isName ? Self.names.candidates(for: String(word.droppingScalars(2))) : []
        guard names.isEmpty else {
            return .usage("“\(word)” is not an option of curl: did you mean \(NameGuess.text(names))?")
        }
        return .usage("curl's \(word) has no counterpart here, and without it the request may be another one")
    }

    /// The names of curl's options, for guessing.
    private static var names: NameGuess { NameGuess(names: CurlOption.byName.keys.sorted()) }

    private static func lacksValue(_ option: CurlOption) -> CommandFailure {
        .usage("curl's --\(option.name) lacks its value")
    }
}
