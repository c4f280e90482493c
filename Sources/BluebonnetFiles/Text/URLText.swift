// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The text of a URL or of a relative reference, as people and servers write it.
package enum URLText {
    /// Escapes the bytes that the text cannot contain, and leaves valid escapes as they are (RFC 3986 section 2.4).
    ///
    /// A URL parser that finds one such byte would escape the whole component again, with the escapes in it: `[%20`
    /// would become `%5B%2520`.
    ///
    /// - Parameter text: An absolute URL or a relative reference.
    /// - Returns: The text that a URL parser can read unchanged. What is wrong in a host stays so: its brackets, its
    ///   percent signs and its bytes that are not ASCII are kept.
    package static func escaped(_ text: String) -> String {
        String(decoding: self.escaped(Array(text.utf8)), as: UTF8.self)
    }

    /// Escapes the bytes of a text; see ``escaped(_:)-(String)``.
    package static func escaped(_ text: [UInt8]) -> [UInt8] {
        let host = self.hostAndPort(in: text) ?? 0..<0
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var hasFragment = false
        for (place, byte) in text.enumerated() {
            let isAllowed =
                switch byte {
                case UInt8(ascii: "%"): host.contains(place) || text.byte(ofTripletAt: place) != nil
                case UInt8(ascii: "["), UInt8(ascii: "]"), 0x80...: host.contains(place)
                // The first one begins the fragment, which contains no other.
                case UInt8(ascii: "#"): !hasFragment
                default: self.isAllowed(byte)
                }
            if byte == UInt8(ascii: "#") { hasFragment = true }
            if isAllowed {
                result.append(byte)
            } else {
                result.append(tripletOf: byte)
            }
        }
        return result
    }

    /// The host of a text with an authority, and its port (RFC 3986 section 3.2); nil if there is no authority.
    package static func hostAndPort(in text: [UInt8]) -> Range<Int>? {
        let slashes = text.firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
        guard text[slashes...].starts(with: "//".utf8) else { return nil }
        // Before them is nothing, or a scheme.
        guard slashes == 0 || text[slashes - 1] == UInt8(ascii: ":") else { return nil }
        let start = slashes + 2
        let end = text[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
        return (text[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start)..<end
    }

    /// Whether an ASCII byte besides `%`, `#` and brackets may be in a URL.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }
}
