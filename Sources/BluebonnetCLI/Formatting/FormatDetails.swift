// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The settings of `--format-options`, with HTTPie's names.
struct FormatDetails: Equatable, Sendable {
    /// Whether JSON is indented, and the number of columns per level.
    var formatsJSON = true
    var indentation = 4
    /// Whether the keys of JSON are sorted; by default they are not.
    var sortsKeys = false
    /// Whether header fields are sorted by name; by default they are not.
    var sortsHeaders = false
    /// Whether XML is indented, and the number of columns per level.
    var formatsXML = true
    var markupIndentation = 2

    /// Parses the settings.
    ///
    /// - Parameters:
    ///   - lists: The values of the option, each a comma-separated list; the last occurrence of a setting is effective.
    ///   - isSorted: Whether `--sorted` is given.
    /// - Throws: `CommandFailure` for an unknown setting or an invalid value.
    init(_ lists: [String], isSorted: Bool) throws(CommandFailure) {
        (self.sortsKeys, self.sortsHeaders) = (isSorted, isSorted)
        for list in lists {
            for part in list.unicodeScalars.split(separator: ",") {
                guard let (name, value) = Substring(part).trimmingBlanks.split(atScalar: ":") else {
                    throw Self.fault(String(part))
                }
                try self.set(String(name), String(value))
            }
        }
    }

    /// Creates the default settings.
    init() {}

    private mutating func set(_ name: String, _ value: String) throws(CommandFailure) {
        let flag: Bool? =
            ["true", "yes", "1"].contains(value) ? true : ["false", "no", "0"].contains(value) ? false : nil
        let width = Int(value).flatMap { (0...16).contains($0) ? $0 : nil }
        switch (name, flag, width) {
        case ("json.format", let flag?, _): self.formatsJSON = flag
        case ("json.indent", _, let width?): self.indentation = width
        case ("json.sort_keys", let flag?, _): self.sortsKeys = flag
        case ("headers.sort", let flag?, _): self.sortsHeaders = flag
        case ("xml.format", let flag?, _): self.formatsXML = flag
        case ("xml.indent", _, let width?): self.markupIndentation = width
        default: throw Self.fault("\(name):\(value)")
        }
    }

    private static func fault(_ text: String) -> CommandFailure {
        .usage(
            "“\(text)” is not a detail of --format-options: use json.format, json.sort_keys, headers.sort and xml.format with true or false, json.indent and xml.indent with 0 to 16"
        )
    }
}
