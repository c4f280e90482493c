// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The URL of a command of curl.
struct CurlURL: Sendable {
    /// The URL as it is written here.
    private(set) var text: String

    /// Reads a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - hasPatterns: Whether brackets and braces stand for several URLs, as they do without `--globoff`.
    /// - Throws: `CommandFailure` for a pattern.
    init(_ text: String, hasPatterns: Bool) throws(CommandFailure) {
        self.text = hasPatterns ? try Self.single(text) : text
    }

    /// Adds a query, where the fragment was.
    mutating func add(query: String) {
        guard !query.isEmpty else { return }
        let url = self.withoutFragment
        self.text = url + (url.contains(scalar: "?") ? "&" : "?") + query
    }

    /// Adds the name of an uploaded file, if the path ends where a name could follow.
    mutating func add(nameOfFile path: String) {
        guard let name = path.unicodeScalars.split(separator: "/").last.map({ String($0) }) else { return }
        let url = self.withoutFragment
        let parts = url.split(atScalar: "?")
        let base = String(parts?.before ?? url[...])
        let afterScheme = base.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? base.startIndex
        let hasPath = base[afterScheme...].contains(scalar: "/")
        guard !hasPath || base.ends(withScalars: "/") else { return }
        self.text = base + (hasPath ? "" : "/") + PercentEncoding.escape(name) + (parts.map { "?" + $0.after } ?? "")
    }

    private var withoutFragment: String { self.text.split(atScalar: "#").map { String($0.before) } ?? self.text }

    /// The one URL that a text without patterns stands for.
    private static func single(_ text: String) throws(CommandFailure) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                if let next = rest.first, "[]{}".unicodeScalars.contains(next) {
                    result.append(next)
                    rest = rest.dropFirst()
                } else {
                    result.append(scalar)
                }
            case "[":
                // Characters: these are scalars.
                guard let end = rest.firstIndex(of: "]"), Self.isLiteral(rest[..<end]) else { throw Self.pattern }
                result.append(scalar)
                result.append(contentsOf: rest[...end])
                rest = rest[rest.index(after: end)...]
            case "]", "{", "}": throw Self.pattern
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether brackets hold no range: there is nothing in them, or an IPv6 address.
    private static func isLiteral(_ text: Substring.UnicodeScalarView) -> Bool {
        guard !text.isEmpty else { return true }
        // Characters: these are scalars.
        return text.contains(":")
            && text.allSatisfy { $0.properties.isASCIIHexDigit || ":.%".unicodeScalars.contains($0) }
    }

    private static let pattern = CommandFailure.usage(
        "brackets and braces in a URL stand for several URLs in curl: run the command for each, or add --globoff if they are meant as they are"
    )
}
