// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The parser for items of the command line, with HTTPie's syntax.
///
/// The separator that begins first is used; if several begin at the same place, the longest. A backslash escapes a
/// character of a separator (`:` `;` `=` `@`); any other backslash is literal.
enum ItemParser {
    /// A scalar, and whether a backslash precedes it.
    ///
    /// Scalars, because a separator is recognized whatever combining marks follow it.
    private struct Letter {
        var scalar: Unicode.Scalar
        var isEscaped = false
    }

    private static let special: Set<Unicode.Scalar> = [":", ";", "=", "@"]

    /// The separators, longest first.
    private static let separators: [(kind: RequestItem.Kind, scalars: [Unicode.Scalar])] = RequestItem.Kind.allCases
        .map { ($0, Array($0.rawValue.unicodeScalars)) }
        .sorted { $0.1.count > $1.1.count }

    /// Parses one item.
    ///
    /// - Parameter text: The item as it was typed.
    /// - Returns: Its kind, name and value.
    /// - Throws: `CommandFailure` if it has no separator, or nothing before the separator.
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
        if item.name.isEmpty, [.header, .emptyHeader, .headerFile].contains(kind) {
            throw .usage("“\(text)” has no name before “\(kind.rawValue)”")
        }
        if kind == .upload, let type = Self.typeSuffix(of: value) {
            let mediaType = Self.text(of: value[type.upperBound...])
            guard !mediaType.isEmpty else { throw .usage("“\(text)” names no media type after “;type=”") }
            item.mediaType = mediaType
            value = value[..<type.lowerBound]
        }
        item.value = Self.text(of: value)
        if item.value.isEmpty, [.headerFile, .queryFile, .fieldFile, .jsonFile, .upload].contains(kind) {
            throw .usage("“\(text)” names no file after “@”")
        }
        return item
    }

    /// Returns whether a word looks like an item: it has an unescaped separator.
    static func looksLikeItem(_ text: String) -> Bool {
        Self.firstSeparator(in: Self.letters(of: text)) != nil
    }

    private static func letters(of text: String) -> [Letter] {
        var letters: [Letter] = []
        letters.reserveCapacity(text.utf8.count)
        var isAfterBackslash = false
        for scalar in text.unicodeScalars {
            if isAfterBackslash {
                isAfterBackslash = false
                if Self.special.contains(scalar) {
                    letters.append(Letter(scalar: scalar, isEscaped: true))
                    continue
                }
                letters.append(Letter(scalar: "\\"))
            }
            if scalar == "\\" {
                isAfterBackslash = true
            } else {
                letters.append(Letter(scalar: scalar))
            }
        }
        if isAfterBackslash { letters.append(Letter(scalar: "\\")) }
        return letters
    }

    private static func firstSeparator(in letters: [Letter]) -> (RequestItem.Kind, Range<Int>)? {
        for index in letters.indices {
            for (kind, scalars) in Self.separators {
                if let range = Self.range(of: scalars, at: index, in: letters[...]) { return (kind, range) }
            }
        }
        return nil
    }

    private static func range(
        of scalars: [Unicode.Scalar],
        at index: Int,
        in letters: ArraySlice<Letter>
    ) -> Range<Int>? {
        let end = index + scalars.count
        guard end <= letters.endIndex else { return nil }
        for (letter, scalar) in zip(letters[index..<end], scalars) {
            guard !letter.isEscaped, letter.scalar == scalar else { return nil }
        }
        return index..<end
    }

    /// Returns the range of the last `;type=` of an upload.
    private static func typeSuffix(of value: ArraySlice<Letter>) -> Range<Int>? {
        let mark = Array(";type=".unicodeScalars)
        return value.indices.reversed().lazy.compactMap { Self.range(of: mark, at: $0, in: value) }.first
    }

    private static func text(of letters: ArraySlice<Letter>) -> String {
        String(String.UnicodeScalarView(letters.map(\.scalar)))
    }
}
