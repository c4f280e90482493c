// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A word of a command of curl: a URL, or an option with its value.
enum CurlArgument: Sendable {
    case url(String)
    case option(CurlOption, String)

    /// Takes a command apart.
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
            } else if word.starts(withScalars: "--") {
                arguments.append(try Self.long(word, &rest))
            } else {
                arguments += try Self.letters(word, &rest)
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
                throw .usage("curl's -\(letter) has no counterpart here: leave it out")
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
        guard let option = CurlOption.byName[String(word.droppingScalars(2))] else {
            throw .usage("curl's \(word) has no counterpart here: leave it out")
        }
        guard let value = option.takesValue ? rest.popFirst() : "" else { throw Self.lacksValue(option) }
        return .option(option, value)
    }

    private static func lacksValue(_ option: CurlOption) -> CommandFailure {
        .usage("curl's --\(option.name) lacks its value")
    }
}
