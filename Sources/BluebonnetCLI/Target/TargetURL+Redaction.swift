// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension TargetURL {
    /// Returns the text of a URL without its user information, for messages.
    ///
    /// A password may hold a “/”, “?” or “#”, which ends the authority there: what looks like a port and is none is
    /// taken for the beginning of a password, which ends at the last “@”.
    static func redacted(_ text: String) -> String {
        let start = Self.authorityStart(of: text)
        let end = Self.authorityEnd(of: text[start...])
        let hidden = Self.mayHoldPassword(text[start..<end]) ? text[start...] : text[start..<end]
        guard let at = hidden.unicodeScalars.lastIndex(of: "@") else { return text }
        return text[..<start] + "…" + text[at...]
    }

    /// Returns a message with the user information of every URL removed.
    static func redactedAll(in message: String) -> String {
        var result = ""
        var rest = message[...]
        while let mark = rest.unicodeScalars.firstRange(of: "://".unicodeScalars) {
            result += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            let urlEnd = rest.unicodeScalars.firstIndex { " ”“\"'".unicodeScalars.contains($0) } ?? rest.endIndex
            let url = rest[..<urlEnd]
            let end = Self.authorityEnd(of: url)
            let hidden = Self.mayHoldPassword(url[..<end]) ? url : url[..<end]
            guard let at = hidden.unicodeScalars.lastIndex(of: "@") else { continue }
            result += "…"
            rest = rest[at...]
        }
        return result + rest
    }

    /// Whether a password begins before the path, and may end in it.
    private static func mayHoldPassword(_ authority: Substring) -> Bool {
        let userInfo = authority.unicodeScalars.lastIndex(of: "@").map { authority[..<$0] }
        return userInfo?.contains(scalar: ":") == true || Self.lacksPort(authority)
    }

    /// Whether the host has a colon behind it that begins no port.
    static func lacksPort(_ authority: Substring) -> Bool {
        var rest = authority.unicodeScalars.lastIndex(of: "@").map { authority[$0...] } ?? authority
        if let end = rest.unicodeScalars.lastIndex(of: "]") { rest = rest[end...] }
        guard let (_, port) = rest.split(atScalar: ":"), !port.isEmpty else { return false }
        guard let number: Int = port.utf8.decimalNumber() else { return true }
        return !(1...65535).contains(number)
    }

    /// Whether a text is the scheme of a URL.
    static func isScheme(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }

    /// Where the authority begins: behind the scheme, if there is one, also where a slash or two are missing.
    private static func authorityStart(of text: String) -> String.Index {
        if let range = text.unicodeScalars.firstRange(of: "://".unicodeScalars),
            Self.isScheme(text[..<range.lowerBound])
        {
            return range.upperBound
        }
        for scheme in ["https", "http"] where text.asciiLowercased.starts(withScalars: scheme) {
            let rest = text.droppingScalars(scheme.utf8.count)
            let host = rest.unicodeScalars.drop { $0 == ":" || $0 == "/" }
            if rest.starts(withScalars: ":") || rest.starts(withScalars: "/") { return host.startIndex }
        }
        return text.startIndex
    }

    private static func authorityEnd(of text: Substring) -> String.Index {
        text.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? text.endIndex
    }
}
