// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
package import BluebonnetSerialization
import HTTPTypes

extension HTTPArchive.Request {
    /// Returns the request without the values that a redaction hides.
    package func hiding(_ redaction: Redaction) -> HTTPArchive.Request {
        HTTPArchive.Request(
            method: self.method,
            url: redaction.url(self.url),
            headers: self.headers.hiding(redaction),
            body: self.body.hiding(
                redaction,
                type: self.headers[.contentType],
                isCoded: self.headers.hasContentCoding
            )
        )
    }
}

extension HTTPArchive.Response {
    /// Returns the response without the values that a redaction hides.
    func hiding(_ redaction: Redaction) -> HTTPArchive.Response {
        let type = self.headers[.contentType]
        // Usually the content has been decoded, although the field still lists the codings.
        let isCoded = self.headers.hasContentCoding && self.body.looksCoded(type: type)
        return HTTPArchive.Response(
            status: self.status,
            headers: self.headers.hiding(redaction),
            body: self.body.hiding(redaction, type: type, isCoded: isCoded)
        )
    }
}

extension HTTPFields {
    fileprivate var hasContentCoding: Bool {
        self[values: .contentEncoding].contains { !$0.isEmpty && $0.asciiLowercased != "identity" }
    }

    fileprivate func hiding(_ redaction: Redaction) -> HTTPFields {
        guard redaction.isActive else { return self }
        return HTTPFields(self.map { HTTPField(name: $0.name, value: $0.value(hiding: redaction)) })
    }
}

extension HTTPField {
    fileprivate func value(hiding redaction: Redaction) -> String {
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
        return scheme.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
    }
}
