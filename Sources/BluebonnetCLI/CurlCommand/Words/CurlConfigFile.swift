// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A file with options of curl, one in each line: `--config`.
///
/// ```text
/// # a comment
/// url = "https://example.com/"
/// header: "Accept: text/plain"
/// -L
/// ```
enum CurlConfigFile {
    /// How many files may name each other.
    private static let largestDepth = 8

    /// The options of a file.
    ///
    /// - Parameters:
    ///   - path: The file; “-” for standard input.
    ///   - depth: In how many files the name of this one stands.
    /// - Returns: The options.
    /// - Throws: `CommandFailure` if the file cannot be read, or a line of it is wrong.
    static func arguments(_ path: String, depth: Int) throws(CommandFailure) -> [CurlArgument] {
        guard depth < Self.largestDepth else {
            throw .usage("curl's --config “\(path)” is in more than \(Self.largestDepth) files that name each other")
        }
        let text = try LocalFile.text(path == "-" ? "/dev/stdin" : path)
        var arguments: [CurlArgument] = []
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            guard let (name, value) = Self.option(in: line) else { continue }
            let word = name.starts(withScalars: "-") ? name : "--\(name)"
            var rest = (value.map { [$0] } ?? [])[...]
            arguments += try CurlArgument.options(word, &rest, depth: depth + 1)
            // Behind an option without a value, “#” begins a comment; a value may begin with it.
            guard rest.isEmpty || value?.isEmpty == true || value?.starts(withScalars: "#") == true else {
                throw .usage("curl's \(word) in “\(path)” takes no value, and has one")
            }
        }
        return arguments
    }

    /// The option of a line, and its value; nil for an empty line and a comment.
    private static func option(in line: Substring.UnicodeScalarView) -> (name: String, value: String?)? {
        var rest = line.drop(while: Self.isBlank)
        guard let first = rest.first, first != "#" else { return nil }
        // Behind an option that is written with its hyphens, only blanks end the name.
        let name = rest.prefix { !Self.isBlank($0) && (first == "-" || !Self.isSeparator($0)) }
        rest = rest[name.endIndex...].drop { Self.isBlank($0) || (first != "-" && Self.isSeparator($0)) }
        guard let start = rest.first else { return (String(name), nil) }
        guard start == "\"" else { return (String(name), String(rest.prefix { !Self.isBlank($0) })) }
        return (String(name), Self.unquoted(rest.dropFirst()))
    }

    /// A text up to the quotation mark that ends it, with what backslashes stand for.
    private static func unquoted(_ text: Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text {
            if isEscaped {
                value.append(Self.escapes[scalar] ?? scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                break
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = ["t": "\t", "n": "\n", "r": "\r", "v": "\u{B}"]

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "=" || scalar == ":" }
}
