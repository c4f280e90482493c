// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
package import HTTPTypes

extension HTTPField {
    /// Returns the value without what a redaction hides: all of it, or the secrets in the URLs that it holds.
    ///
    /// - Parameter redaction: What is hidden.
    /// - Returns: The value to print.
    package func value(hiding redaction: Redaction) -> String {
        guard redaction.isActive else { return self.value }
        if redaction.hides(self.name.rawName) { return Redaction.mark }
        switch self.name.canonicalName {
        case "link": return Self.references(in: self.value, hiding: redaction)
        case "refresh": return Self.target(in: self.value, hiding: redaction)
        case "location", "content-location", "referer", "destination": return redaction.url(self.value)
        default: return self.value.isAbsoluteURL ? redaction.url(self.value) : self.value
        }
    }

    /// Redacts `<url>; rel=next, <url>` (RFC 8288 section 3).
    private static func references(in value: String, hiding redaction: Redaction) -> String {
        var result = ""
        var rest = value[...]
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "<")),
            let end = rest[start...].utf8.firstIndex(of: UInt8(ascii: ">"))
        {
            let url = rest.utf8.index(after: start)
            result += "\(rest[..<url])\(redaction.url(String(rest[url..<end])))"
            rest = rest[end...]
        }
        return result + rest
    }

    /// Redacts `5; url=https://…`, as the HTML standard parses it.
    private static func target(in value: String, hiding redaction: Redaction) -> String {
        guard let start = value.utf8.firstIndex(where: { ";, ".utf8.contains($0) }) else { return value }
        var url = start
        while url < value.endIndex, ";, \t".utf8.contains(value.utf8[url]) { url = value.utf8.index(after: url) }
        if String(value[url...]).asciiLowercased.utf8.starts(with: "url".utf8),
            let equals = value[url...].utf8.firstIndex(of: UInt8(ascii: "="))
        {
            url = value.utf8.index(after: equals)
        }
        return "\(value[..<url])\(redaction.url(String(value[url...])))"
    }
}

extension String {
    /// Whether the text begins with a scheme and `//`.
    fileprivate var isAbsoluteURL: Bool {
        guard let colon = self.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = self[..<colon].utf8
        guard self[colon...].utf8.starts(with: "://".utf8) else { return false }
        return scheme.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }
}
