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

    /// What follows the last slash of the path, as it is written; nil if nothing does.
    var nameOfFile: String? {
        let segments = self.hostAndPath.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        // Characters: these are scalars. Dots alone name a folder, and leave the path when it is sent.
        guard let name = segments.dropFirst().last, !name.isEmpty, !(name.count <= 2 && name.allSatisfy { $0 == "." })
        else { return nil }
        return String(name)
    }

    /// Adds the name of an uploaded file, if the path ends where a name could follow.
    mutating func add(nameOfFile path: String) {
        guard let name = path.unicodeScalars.split(separator: "/").last.map({ String($0) }) else { return }
        let base = self.withoutQuery
        let hasPath = self.hostAndPath.contains(scalar: "/")
        guard !hasPath || base.ends(withScalars: "/") else { return }
        let query = self.withoutFragment.split(atScalar: "?").map { "?" + $0.after } ?? ""
        self.text = base + (hasPath ? "" : "/") + PercentEncoding.escape(name, allowed: .unreserved) + query
    }

    /// What follows the scheme, without the query.
    private var hostAndPath: Substring {
        let base = self.withoutQuery
        return base[(base.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? base.startIndex)...]
    }

    private var withoutQuery: String {
        let url = self.withoutFragment
        return url.split(atScalar: "?").map { String($0.before) } ?? url
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
