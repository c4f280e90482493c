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

    /// Sorts the words.
    init(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                self.endsOptions = true
                self.positional += rest
                return
            }
            if word.starts(withScalars: "--") {
                self.readName(word, &rest)
            } else if word.starts(withScalars: "-"), word.utf8.count > 1 {
                self.readLetters(word, &rest)
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

    private mutating func readName(_ word: String, _ rest: inout ArraySlice<String>) {
        let text = word.droppingScalars(2)
        let name = String(text.split(atScalar: "=")?.before ?? text)
        let value = text.split(atScalar: "=").map { String($0.after) }
        if let option = RequestOption.byName[name], option.takesValue || value == nil {
            self.add(option, value ?? (option.takesValue ? rest.popFirst() : nil))
        } else if name.starts(withScalars: "no-"), value == nil,
            let option = RequestOption.byName[String(name.droppingScalars(3))]
        {
            self.options.removeAll { $0.option.name == option.name }
        } else {
            self.unknown.append(word)
        }
    }

    private mutating func readLetters(_ word: String, _ rest: inout ArraySlice<String>) {
        self.clusters.append(word)
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = RequestOption.byLetter[letter] else {
                self.unknown.append("-\(letter)")
                return
            }
            guard option.takesValue else {
                self.add(option, nil)
                continue
            }
            // Characters: these are scalars.
            if letters.first == "=" { letters.removeFirst() }
            self.add(option, letters.isEmpty ? rest.popFirst() : String(letters))
            return
        }
    }

    private mutating func add(_ option: RequestOption, _ value: String?) {
        self.options.removeAll { option.overrides($0.option) }
        self.options.append((option, value))
    }
}
