// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

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
            guard BuiltInRoutes.isToken(name) else {
                throw ContentError(reason: "a header of a part has a malformed name")
            }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            self.fields.append((name, Self.trim(value)))
        }
    }

    /// The value of a field with this lower-case name.
    subscript(name: String) -> String? {
        self.fields.first { $0.name.asciiLowercased == name }?.value
    }

    /// The part's name, as between the quotation marks.
    var name: String? { self.disposition["name"] }

    /// The file name, as between the quotation marks.
    var filename: String? { self.disposition["filename"] }

    private var disposition: [String: String] {
        self["content-disposition"].map { HeaderParameters($0).parameters } ?? [:]
    }

    private static func trim(_ text: String) -> String {
        String(Substring(text.utf8.trimmingBlanks))
    }
}
