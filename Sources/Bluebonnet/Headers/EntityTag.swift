// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// An entity tag (RFC 9110 section 8.8.3): opaque text with its quotes, and whether it is weak.
struct EntityTag: Equatable {
    let isWeak: Bool
    /// The bytes including both quotes.
    let opaque: ArraySlice<UInt8>

    /// Parses one tag; nil if the bytes are not one.
    init?(_ bytes: ArraySlice<UInt8>) {
        let isWeak = bytes.starts(with: "W/".utf8)
        let opaque = isWeak ? bytes.dropFirst(2) : bytes
        guard opaque.count >= 2, opaque.first == UInt8(ascii: "\""), opaque.last == UInt8(ascii: "\""),
            !opaque.dropFirst().dropLast().contains(UInt8(ascii: "\""))
        else { return nil }
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Parses the tag in the text of a field; nil if it is not one, or contained bytes that are not UTF-8: as text,
    /// different tags could be equal.
    init?(_ text: String) {
        guard !Self.isDamaged(text) else { return nil }
        self.init(Array(text.utf8).trimmingBlanks)
    }

    /// Whether a text contains the replacement character for bytes that are not UTF-8 (U+FFFD).
    static func isDamaged(_ text: String) -> Bool { text.utf8.firstRange(of: [0xEF, 0xBF, 0xBD]) != nil }

    /// RFC 9110 section 8.8.3.2.
    func matchesWeakly(_ other: EntityTag) -> Bool { self.opaque.elementsEqual(other.opaque) }

    /// RFC 9110 section 8.8.3.2.
    func matchesStrongly(_ other: EntityTag) -> Bool { !self.isWeak && !other.isWeak && self.matchesWeakly(other) }

    /// Whether a list of tags, or the asterisk, matches a tag weakly.
    static func list(_ values: [String], matches tag: EntityTag?) -> Bool {
        for value in values {
            if Array(value.utf8).trimmingBlanks.elementsEqual("*".utf8) { return true }
            guard let tag else { continue }
            // A backslash is not an escape in an entity tag, so the list is not one of quoted strings.
            if Self.split(value).contains(where: { EntityTag($0)?.matchesWeakly(tag) == true }) { return true }
        }
        return false
    }

    private static func split(_ text: String) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        return Array(text.utf8).split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }.map(\.trimmingBlanks)
    }
}
