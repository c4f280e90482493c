// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A part of a form, from curl's `--form`.
///
/// The syntax is `name=text`, `name=@file` or `name=<file`, followed by `;type=` and `;filename=`.
struct CurlFormPart: Sendable {
    /// The content of a part.
    enum Content: Sendable {
        case text(String)
        /// A file that is uploaded with its name.
        case file(String)
        /// A file whose text is the value.
        case textFile(String)
    }

    private(set) var name: String
    private(set) var content: Content
    private(set) var mediaType: String?
    private(set) var filename: String?

    /// Parses a part.
    ///
    /// - Parameters:
    ///   - text: The value of the option.
    ///   - isLiteral: Whether everything after the name is the value, as with `--form-string`.
    /// - Throws: `CommandFailure` for syntax that is not supported.
    init(_ text: String, isLiteral: Bool) throws(CommandFailure) {
        guard let (name, value) = text.split(atScalar: "=") else { throw .usage("“\(text)” is no part of a form") }
        self.name = String(name)
        self.content = .text(String(value))
        if isLiteral { return }
        guard !value.starts(withScalars: "(") else {
            throw .usage("curl's forms in forms have no counterpart here: use --form-string for a “(” of the value")
        }
        let isFile = value.starts(withScalars: "@")
        let isText = value.starts(withScalars: "<")
        var rest = value.unicodeScalars.dropFirst(isFile || isText ? 1 : 0)
        let (word, isQuoted) = try Self.word(&rest)
        if isFile || isText {
            guard !word.isEmpty, word != "-" else {
                throw .usage("curl's --form with standard input has no counterpart here: name a file in “\(text)”")
            }
            guard isQuoted || !isFile || !word.contains(scalar: ",") else {
                throw .usage(
                    "curl's --form with several files has no counterpart here: write a part for each, or quotes around “\(word)”"
                )
            }
            self.content = isFile ? .file(word) : .textFile(word)
        } else {
            self.content = .text(word)
        }
        try self.readDetails(&rest)
    }

    private mutating func readDetails(_ rest: inout Substring.UnicodeScalarView) throws(CommandFailure) {
        while rest.popFirst() != nil {
            rest = rest.drop(while: Self.isSpace)
            let detail = Substring(rest)
            if detail.asciiLowercased.starts(withScalars: "type=") {
                rest = rest.dropFirst("type=".unicodeScalars.count)
                self.mediaType = try Self.mediaType(&rest)
            } else if detail.asciiLowercased.starts(withScalars: "filename=") {
                rest = rest.dropFirst("filename=".unicodeScalars.count)
                self.filename = try Self.word(&rest).text
            } else {
                throw .usage(
                    "“;\(detail)” behind a part of curl's form has no counterpart here: put quotes around a value that holds a “;”, or use --form-string"
                )
            }
        }
    }

    /// Parses a quoted string, or the text up to a semicolon without the white space around it.
    private static func word(
        _ rest: inout Substring.UnicodeScalarView
    ) throws(CommandFailure) -> (text: String, isQuoted: Bool) {
        rest = rest.drop(while: Self.isSpace)
        guard let text = Self.quoted(&rest) else {
            // Characters: these are scalars.
            var word = rest.prefix { $0 != ";" }
            rest = rest[word.endIndex...]
            while let last = word.last, Self.isSpace(last) { word = word.dropLast() }
            return (String(Substring(word)), false)
        }
        rest = rest.drop(while: Self.isSpace)
        // Characters: these are scalars.
        guard rest.isEmpty || rest.first == ";" else {
            throw .usage("there is “\(Substring(rest))” behind the quotes in a part of curl's form: remove it")
        }
        return (text, true)
    }

    /// Parses a quoted string; nil if there is none, or its end is missing, in which case curl takes the quote as it is.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
        // Characters: these are scalars.
        guard rest.first == "\"" else { return nil }
        var text = String.UnicodeScalarView()
        var remaining = rest.dropFirst()
        while let scalar = remaining.popFirst() {
            // Characters: these are scalars.
            if scalar == "\"" {
                rest = remaining
                return String(text)
            }
            // Characters: these are scalars.
            let isEscape = scalar == "\\" && (remaining.first == "\\" || remaining.first == "\"")
            text.append(isEscape ? remaining.removeFirst() : scalar)
        }
        return nil
    }

    /// Whether a scalar is white space in C.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || (0x09...0x0D).contains(scalar.value)
    }

    /// Parses a media type including its parameters, which also begin with a semicolon.
    private static func mediaType(_ rest: inout Substring.UnicodeScalarView) throws(CommandFailure) -> String {
        var type = String.UnicodeScalarView()
        while let scalar = rest.first {
            if scalar == ";" {
                let next = Substring(rest.dropFirst().drop(while: Self.isSpace)).asciiLowercased
                let isDetail = ["type=", "filename=", "headers=", "encoder="].contains { next.starts(withScalars: $0) }
                if isDetail { break }
            }
            type.append(scalar)
            rest = rest.dropFirst()
        }
        while let last = type.last, Self.isSpace(last) { type.removeLast() }
        let text = String(Substring(type.drop(while: Self.isSpace)))
        // An empty Content-Type would be sent otherwise; curl refuses the same.
        guard let (main, sub) = text.split(atScalar: "/"), !main.isEmpty, !main.contains(scalar: " "),
            let first = sub.unicodeScalars.first, !";, ".unicodeScalars.contains(first)
        else { throw .usage("“\(text)” is no media type: write one as in “;type=text/plain”") }
        return text
    }
}
