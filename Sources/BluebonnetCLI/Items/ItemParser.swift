// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Takes the items of a command line apart, as HTTPie does.
///
/// The separator that begins first wins; where several begin at the same place, the longest. A backslash before a character of a
/// separator (`:` `;` `=` `@`) makes it an ordinary character; any other backslash stands for itself.
enum ItemParser {
    /// One character, and whether a backslash stood before it.
    private struct Letter {
        var character: Character
        var isEscaped = false
    }

    private static let special: Set<Character> = [":", ";", "=", "@"]

    /// The separators, longest first.
    private static let separators: [(kind: RequestItem.Kind, characters: [Character])] = RequestItem.Kind.allCases
        .map { ($0, Array($0.rawValue)) }
        .sorted { $0.1.count > $1.1.count }

    /// Takes one item apart.
    ///
    /// - Parameter text: The item as it was typed.
    /// - Returns: Its kind, name and value.
    /// - Throws: `CommandFailure` if it has no separator, or nothing before it.
    static func parse(_ text: String) throws(CommandFailure) -> RequestItem {
        let letters = Self.letters(of: text)
        guard let (kind, range) = Self.firstSeparator(in: letters) else {
            throw .usage(
                "“\(text)” is not a request item: write name=value, name:=json, name==query, Header:value or name@file"
            )
        }
        var value = letters[range.upperBound...]
        var item = RequestItem(kind: kind, name: Self.text(of: letters[..<range.lowerBound]), value: "", text: text)
        if kind == .emptyHeader, !value.isEmpty {
            throw .usage(
                "“\(text)” has text after the semicolon: write “\(item.name);” for an empty header, “\(item.name):value” for a value"
            )
        }
        if item.name.isEmpty, kind != .upload {
            throw .usage("“\(text)” has no name before “\(kind.rawValue)”")
        }
        if kind == .upload, let type = Self.typeSuffix(of: value) {
            item.mediaType = Self.text(of: value[type.upperBound...])
            value = value[..<type.lowerBound]
        }
        item.value = Self.text(of: value)
        if item.value.isEmpty, [.headerFile, .queryFile, .fieldFile, .jsonFile, .upload].contains(kind) {
            throw .usage("“\(text)” names no file after “@”")
        }
        return item
    }

    /// Whether a word reads as an item: it has a separator that is not escaped.
    static func looksLikeItem(_ text: String) -> Bool {
        Self.firstSeparator(in: Self.letters(of: text)) != nil
    }

    private static func letters(of text: String) -> [Letter] {
        var letters: [Letter] = []
        letters.reserveCapacity(text.utf8.count)
        var isAfterBackslash = false
        for character in text {
            if isAfterBackslash {
                isAfterBackslash = false
                if Self.special.contains(character) {
                    letters.append(Letter(character: character, isEscaped: true))
                    continue
                }
                letters.append(Letter(character: "\\"))
            }
            if character == "\\" {
                isAfterBackslash = true
            } else {
                letters.append(Letter(character: character))
            }
        }
        if isAfterBackslash { letters.append(Letter(character: "\\")) }
        return letters
    }

    private static func firstSeparator(in letters: [Letter]) -> (RequestItem.Kind, Range<Int>)? {
        for index in letters.indices {
            for (kind, characters) in Self.separators {
                if let range = Self.range(of: characters, at: index, in: letters[...]) { return (kind, range) }
            }
        }
        return nil
    }

    private static func range(of characters: [Character], at index: Int, in letters: ArraySlice<Letter>) -> Range<Int>?
    {
        let end = index + characters.count
        guard end <= letters.endIndex else { return nil }
        for (letter, character) in zip(letters[index..<end], characters) {
            guard !letter.isEscaped, letter.character == character else { return nil }
        }
        return index..<end
    }

    /// The last `;type=` of an upload.
    private static func typeSuffix(of value: ArraySlice<Letter>) -> Range<Int>? {
        let mark = Array(";type=")
        return value.indices.reversed().lazy.compactMap { Self.range(of: mark, at: $0, in: value) }.first
    }

    private static func text(of letters: ArraySlice<Letter>) -> String {
        String(letters.map(\.character))
    }
}
