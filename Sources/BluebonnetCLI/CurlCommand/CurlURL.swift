// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The URL of a curl command.
struct CurlURL: Sendable {
    /// The URL in the syntax of `bluebonnet`.
    private(set) var text: String

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - hasPatterns: Whether brackets and braces are glob patterns, as they are without `--globoff`.
    /// - Throws: `CommandFailure` for a glob pattern.
    init(_ text: String, hasPatterns: Bool) throws(CommandFailure) {
        self.text = hasPatterns ? try Self.single(text) : text
    }

    /// Adds a query, in place of the fragment.
    mutating func add(query: String) {
        guard !query.isEmpty else { return }
        let url = self.withoutFragment
        let isOpen = ["?", "&"].contains { url.ends(withScalars: $0) }
        self.text = url + (!url.contains(scalar: "?") ? "?" : isOpen ? "" : "&") + query
    }

    /// The text after the last slash of the path, as it was typed; nil if it is empty.
    var nameOfFile: String? {
        let segments = self.hostAndPath.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        // Characters: these are scalars. Dot segments name a folder, and are removed before the path is sent.
        guard let name = segments.dropFirst().last, !name.isEmpty, !(name.count <= 2 && name.allSatisfy { $0 == "." })
        else { return nil }
        return String(name)
    }

    /// Appends the name of an uploaded file, if the path ends with a slash or is empty.
    mutating func add(nameOfFile path: String) {
        guard let name = path.unicodeScalars.split(separator: "/").last.map({ String($0) }) else { return }
        let base = self.withoutQuery
        let hasPath = self.hostAndPath.contains(scalar: "/")
        guard !hasPath || base.ends(withScalars: "/") else { return }
        let query = self.withoutFragment.split(atScalar: "?").map { "?" + $0.after } ?? ""
        self.text = base + (hasPath ? "" : "/") + PercentEncoding.escape(name, allowed: .unreserved) + query
    }

    /// The text after the scheme, without the query.
    private var hostAndPath: Substring {
        let base = self.withoutQuery
        return base[(base.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? base.startIndex)...]
    }

    private var withoutQuery: String {
        let url = self.withoutFragment
        return url.split(atScalar: "?").map { String($0.before) } ?? url
    }

    private var withoutFragment: String { self.text.split(atScalar: "#").map { String($0.before) } ?? self.text }

    /// Returns the single URL of a text without patterns.
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

    /// Returns whether brackets contain no range: they are empty, or contain an IPv6 address.
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
