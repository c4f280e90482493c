// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The path of a value in a JSON document, written `a[b][]` or `a[b][0]`.
///
/// The text before the first bracket is the first key. `[]` appends to an array, `[3]` is an array index, `[name]` is a
/// key of an object. A path that begins with a bracket starts at the root. A backslash escapes `[`, `]` and `\`, and
/// makes a whole number a key: `[\3]` is the key "3".
struct KeyPath: Equatable, Sendable {
    /// One component of a path.
    enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
        case append
    }

    /// The largest index that is accepted, so that a typing mistake does not exhaust memory.
    static let largestIndex = 10_000

    /// The deepest nesting that is accepted; most parsers reject documents that are nested deeper.
    static let largestDepth = 100

    /// The components from the root; at least one.
    var steps: [Step]

    /// Returns the first components as they are written, for error messages.
    func description(through count: Int) -> String {
        var text = ""
        for (position, step) in self.steps.prefix(count).enumerated() {
            switch step {
            case .key(let key): text += position == 0 ? key : "[\(key)]"
            case .index(let index): text += "[\(index)]"
            case .append: text += "[]"
            }
        }
        return text
    }

    /// Parses a path.
    ///
    /// - Parameter text: The name of an item.
    /// - Throws: `CommandFailure` if a bracket is missing or an index is too large.
    init(_ text: String) throws(CommandFailure) {
        var steps: [Step] = []
        var rest = Array(text.unicodeScalars)[...]
        // Characters: these are scalars.
        if rest.first != "[" {
            var isPlain = true
            steps.append(.key(try Self.word(from: &rest, until: "[", of: text, isPlain: &isPlain)))
        }
        while let scalar = rest.first {
            guard scalar == "[" else {
                throw .usage("“\(text)” has text after “]”: write another “[…]”, or “\\]” for a bracket in a name")
            }
            rest.removeFirst()
            steps.append(try Self.bracket(from: &rest, of: text))
            guard steps.count <= Self.largestDepth else {
                throw .usage("the name “\(text.prefix(40))…” is nested more than \(Self.largestDepth) levels deep")
            }
        }
        self.steps = steps
    }

    private static func bracket(
        from rest: inout ArraySlice<Unicode.Scalar>,
        of text: String
    ) throws(CommandFailure) -> Step {
        var isPlain = true
        let word = try Self.word(from: &rest, until: "]", of: text, isPlain: &isPlain)
        // Characters: these are scalars.
        guard rest.first == "]" else {
            throw .usage("“\(text)” lacks a closing “]”: write “\\[” for a bracket in a name")
        }
        rest.removeFirst()
        if word.isEmpty { return .append }
        guard isPlain else { return .key(word) }
        if word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1, word.utf8.dropFirst().allSatisfy(\.isASCIIDigit) {
            throw .usage("the position [\(word)] in “\(text)” is negative: write “[\\\(word)]” if it is a key")
        }
        guard word.utf8.allSatisfy(\.isASCIIDigit) else { return .key(word) }
        guard let index = Int(word), index <= Self.largestIndex else {
            throw .usage(
                "the position [\(word)] in “\(text)” is larger than \(Self.largestIndex): send the document with --raw"
            )
        }
        return .index(index)
    }

    private static func word(
        from rest: inout ArraySlice<Unicode.Scalar>,
        until end: Unicode.Scalar,
        of text: String,
        isPlain: inout Bool
    ) throws(CommandFailure) -> String {
        var word = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != end {
            rest.removeFirst()
            if end == "]", scalar == "[" {
                throw .usage("“\(text)” has a “[” inside brackets: write “\\[” for a bracket in a name")
            }
            let next = rest.first
            if scalar == "\\", let next,
                next == "[" || next == "]" || next == "\\" || (word.isEmpty && Self.beginsNumber(rest, until: end))
            {
                isPlain = false
                word.append(next)
                rest.removeFirst()
            } else {
                word.append(scalar)
            }
        }
        return String(word)
    }

    /// Whether the rest of a word is a whole number, which a backslash before it makes a key.
    private static func beginsNumber(_ rest: ArraySlice<Unicode.Scalar>, until end: Unicode.Scalar) -> Bool {
        let word = rest.prefix { $0 != end }
        // Characters: these are scalars.
        let digits = word.first == "-" ? word.dropFirst() : word
        return !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
    }
}
