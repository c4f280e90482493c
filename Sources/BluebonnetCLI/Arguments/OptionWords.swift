// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The words of a request's command line, sorted into options and the rest, with what is overridden removed.
///
/// The last of several options counts, so that the options of an alias can be changed; `--no-OPTION` takes an option back. An empty value
/// is a value: `--raw=`.
struct OptionWords {
    /// The options that count, in their order.
    private(set) var options: [(option: RequestOption, value: String?)] = []

    /// The words that look like options and are none, without their values.
    private(set) var unknown: [String] = []

    /// The words with options of one letter, as they are written.
    private(set) var clusters: [String] = []

    /// The other words, and all that follow `--`.
    private(set) var positional: [String] = []

    /// Whether `--` stands among the words, behind which nothing is an option.
    private(set) var endsOptions = false

    /// An option as it is written, or one that is taken back.
    private struct Occurrence {
        var option: RequestOption
        var value: String?
        var isTakenBack = false
    }

    /// Sorts the words.
    init(_ words: [String]) {
        var occurrences: [Occurrence] = []
        self.read(words, &occurrences)
        self.options = Self.effective(occurrences)
    }

    /// Returns the options that count, in one pass from the last to the first, so that time grows linearly.
    private static func effective(_ occurrences: [Occurrence]) -> [(option: RequestOption, value: String?)] {
        var options: [(option: RequestOption, value: String?)] = []
        var seen: Set<String> = []
        // The names of the options that do not count if they stand before those that have been seen.
        var overridden: Set<String> = []
        for occurrence in occurrences.reversed() {
            let option = occurrence.option
            if occurrence.isTakenBack {
                overridden.insert(option.name)
                continue
            }
            if !overridden.contains(option.name) { options.append((option, occurrence.value)) }
            // An option overrides those before it even if it is overridden itself.
            guard seen.insert(option.name).inserted else { continue }
            for other in RequestOption.all where option.overrides(other) { overridden.insert(other.name) }
        }
        return options.reversed()
    }

    private mutating func read(_ words: [String], _ occurrences: inout [Occurrence]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                self.endsOptions = true
                self.positional += rest
                return
            }
            if word.starts(withScalars: "--") {
                self.readName(word, &rest, &occurrences)
            } else if word.starts(withScalars: "-"), word.utf8.count > 1 {
                self.readLetters(word, &rest, &occurrences)
            } else {
                self.positional.append(word)
            }
        }
    }

    /// The words as the parser takes them: each value beside its option, and nothing behind `--` is an option.
    var canonical: [String] {
        // Behind it, the parser would take the next word for its value, be it one of those below.
        if let incomplete = self.options.first(where: { $0.option.takesValue && $0.value == nil }) {
            return ["--\(incomplete.option.name)"]
        }
        var words = self.unknown
        for (option, value) in self.options {
            switch value {
            case nil: words.append("--\(option.name)")
            case ""?: words += ["--\(option.name)", ""]
            case let value?: words.append("--\(option.name)=\(value)")
            }
        }
        return self.positional.isEmpty ? words : words + ["--"] + self.positional
    }

    /// Whether the next word would be the value of the last option.
    var lacksValue: Bool { self.options.last.map { $0.option.takesValue && $0.value == nil } ?? false }

    /// Whether an option counts.
    func contains(_ name: String) -> Bool { self.options.contains { $0.option.name == name } }

    /// The value of an option; nil if it does not count or takes none.
    func value(of name: String) -> String? { self.options.last { $0.option.name == name }?.value }

    private mutating func readName(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        _ occurrences: inout [Occurrence]
    ) {
        let text = word.droppingScalars(2)
        let name = String(text.split(atScalar: "=")?.before ?? text)
        let value = text.split(atScalar: "=").map { String($0.after) }
        if let option = RequestOption.byName[name], option.takesValue || value == nil {
            let value = value ?? (option.takesValue ? rest.popFirst() : nil)
            occurrences.append(Occurrence(option: option, value: value))
        } else if name.starts(withScalars: "no-"), value == nil,
            let option = RequestOption.byName[String(name.droppingScalars(3))]
        {
            occurrences.append(Occurrence(option: option, isTakenBack: true))
        } else {
            self.unknown.append(word)
        }
    }

    private mutating func readLetters(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        _ occurrences: inout [Occurrence]
    ) {
        self.clusters.append(word)
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = RequestOption.byLetter[letter] else {
                self.unknown.append("-\(letter)")
                return
            }
            guard option.takesValue else {
                occurrences.append(Occurrence(option: option))
                continue
            }
            // Characters: these are scalars.
            if letters.first == "=" { letters.removeFirst() }
            let value = letters.isEmpty ? rest.popFirst() : String(letters)
            occurrences.append(Occurrence(option: option, value: value))
            return
        }
    }
}
