// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The header fields of a part, and the parameters of Content-Disposition (RFC 7578 section 4.2).
struct PartHeaders: Sendable {
    private(set) var fields: [(name: String, value: String)] = []

    /// Parses the lines of a header.
    ///
    /// - Parameter bytes: The lines, each preceded by a line break.
    /// - Throws: ``ContentError`` for lines that are not header fields.
    init(parsing bytes: [UInt8]) throws(ContentError) {
        // Split as bytes: as characters, CR LF is one, and a lone LF would not be noticed.
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard line.last == UInt8(ascii: "\r") || line.endIndex == bytes.endIndex else {
                throw ContentError(reason: "a header line of a part ends with LF instead of CR LF")
            }
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if line.isEmpty { continue }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), !line.contains(UInt8(ascii: "\r")) else {
                throw ContentError(reason: "a header line of a part has no colon, or a CR inside")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard RouteTable.isToken(name) else {
                throw ContentError(reason: "a header of a part has a malformed name")
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            self.fields.append((name, Parameters.trim(value)))
        }
    }

    /// The value of a field with this lower-case name.
    subscript(name: String) -> String? {
        self.fields.first { $0.name.asciiLowercased == name }?.value
    }

    /// The part's name, as between the quotation marks.
    var name: String? { self["content-disposition"].flatMap { Parameters($0)["name"] } }

    /// The file name, as between the quotation marks.
    var filename: String? { self["content-disposition"].flatMap { Parameters($0)["filename"] } }
}

/// A field value with parameters: `form-data; name="a"` (RFC 9110 section 5.6.6).
struct Parameters: Sendable {
    /// The text before the first semicolon, in lower case.
    let value: String
    private let parameters: [(name: String, value: String)]

    init(_ text: String) {
        var pieces = Self.split(text)
        self.value = Self.trim(pieces.removeFirst()).asciiLowercased
        self.parameters = pieces.compactMap { piece in
            guard let equals = piece.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = Self.trim(String(piece[..<equals])).asciiLowercased
            return (name, Self.unquote(Self.trim(String(piece[piece.utf8.index(after: equals)...]))))
        }
    }

    subscript(name: String) -> String? {
        self.parameters.first { $0.name == name }?.value
    }

    static func trim(_ text: String) -> String {
        var bytes = text.utf8[...]
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// Splits at semicolons outside quotation marks; returns at least one piece.
    private static func split(_ text: String) -> [String] {
        var pieces: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == ";", !isQuoted {
                pieces.append("")
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && isQuoted && !isEscaped
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
        }
        return pieces
    }

    /// Removes quotation marks; a backslash escapes a following quotation mark or backslash, any other one is kept.
    private static func unquote(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        // Characters: these are scalars.
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return text }
        var plain = String.UnicodeScalarView()
        var index = 1
        while index < scalars.count - 1 {
            if scalars[index] == "\\", index + 2 < scalars.count, ["\"", "\\"].contains(scalars[index + 1]) {
                index += 1
            }
            plain.append(scalars[index])
            index += 1
        }
        return String(plain)
    }
}
