// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// Words of a command line that are valid, and most likely meant in another way.
enum MistakenWords {
    /// What to write instead of the options of a request; nil if there is nothing to say about them.
    static func explanation(of words: OptionWords) -> String? {
        if let explained = words.clusters.lazy.compactMap(Self.explanation(ofCluster:)).first { return explained }
        if !words.endsOptions, let explained = words.positional.lazy.compactMap(Self.explanation(ofDash:)).first {
            return explained
        }
        guard words.positional.isEmpty else { return nil }
        return words.options.lazy.compactMap { option, value in
            guard let value, value.contains("://") else { return nil }
            let name = "--\(option.name)"
            return
                "there is no URL: \(name) has taken “\(TargetURL.redacted(value))” as its value; write “\(name) VALUE URL”"
        }.first
    }

    /// What to write instead of an item; nil if there is nothing to say about it.
    static func explanation(ofItem item: String) -> String? {
        if item.starts(withScalars: "http://") || item.starts(withScalars: "https://") {
            return
                "“\(TargetURL.redacted(item))” is a second URL: one command sends one request; several are read by “bluebonnet curl URL URL”"
        }
        if item.starts(withScalars: "{"), item.ends(withScalars: "}"), item.contains(scalar: "\"") {
            return "“\(item)” is not a request item: to send it as the body write --raw \(ShellWord.quoted(item))"
        }
        return nil
    }

    /// What to write instead of a method in small letters that is not well-known, but near a method or an option.
    ///
    /// Capitals say that the word is meant as it is.
    static func explanation(ofMethod word: String) -> String? {
        guard word != word.asciiUppercased, !CommandWords.wellKnown.contains(word.asciiUppercased) else { return nil }
        let methods = Self.methods.nearest(to: word).names.map { "“\($0.asciiUppercased)”" }
        let guess =
            methods.isEmpty
            ? NameGuess.text(UnavailableOptions.names.nearest(to: word).names)
            : methods.joined(separator: " or ")
        guard !guess.isEmpty else { return nil }
        let unchanged = "write \(word.asciiUppercased) to send it as it is"
        return "“\(word)” is not a known method: did you mean \(guess)? If not, \(unchanged)"
    }

    private static let methods = NameGuess(names: CommandWords.wellKnown.map(\.asciiLowercased).sorted())

    /// The command that was meant where there is no host of the name.
    static func command(for word: String) -> String? {
        if word == "version" { return "--version" }
        return Subcommand.mistyped(word)?.rawValue
    }

    /// What to write instead of a long option behind one hyphen; nil for options of one letter.
    private static func explanation(ofCluster word: String) -> String? {
        let written = String(word.split(atScalar: "=")?.before ?? word[...])
        guard written.utf8.count > 3 else { return nil }
        let name = String(written.droppingScalars(1))
        let start = "“\(written)” is read as several options of one letter each"
        if RequestOption.byName[name] != nil { return "\(start): write -\(written)" }
        if let other = UnavailableOptions.explanation(ofOption: "--\(name)") { return other }
        // Letters that are all options are taken for what they are: “-ofile” is no mistyped name.
        guard name.utf8.count > 3, !OptionWords([word]).unknown.isEmpty else { return nil }
        let names = UnavailableOptions.names.candidates(for: name)
        return names.isEmpty ? nil : "\(start): did you mean \(NameGuess.text(names))?"
    }

    /// What to write instead of an option behind a dash of a text, which programs for texts make of hyphens.
    private static func explanation(ofDash word: String) -> String? {
        let dashes: [Unicode.Scalar] = ["\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}"]
        guard let first = word.unicodeScalars.first, dashes.contains(first) else { return nil }
        let rest = word.unicodeScalars.drop { dashes.contains($0) || $0 == "-" }
        let written = String(rest)
        let name = String(written.split(atScalar: "=")?.before ?? written[...])
        let isLetter = name.unicodeScalars.count == 1 && rest.first.map { RequestOption.byLetter[$0] != nil } ?? false
        guard isLetter || RequestOption.byName[name] != nil else { return nil }
        return "“\(word)” begins with a dash that is not a hyphen: write \(isLetter ? "-" : "--")\(name)"
    }
}
