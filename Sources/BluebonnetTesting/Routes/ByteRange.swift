// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The result of a Range field (RFC 9110 section 14.2).
enum ByteRange: Hashable, Sendable {
    /// The whole: no field, another unit, several ranges, or a malformed field, which is ignored.
    case whole
    /// The range of these positions.
    case part(Range<Int64>)
    /// A range outside the content.
    case unsatisfiable

    init(_ fields: [String], length: Int64) {
        guard fields.count == 1, let field = fields.first else {
            self = .whole
            return
        }
        let parts = field.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Substring(parts[0]).isASCIIWord("bytes") else {
            self = .whole
            return
        }
        let ends = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard ends.count == 2 else {
            self = .whole
            return
        }
        switch (Self.position(ends[0]), Self.position(ends[1])) {
        case (.some(let first), .some(let last)):
            guard first <= last else {
                self = .whole
                return
            }
            self = first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        case (.some(let first), nil) where ends[1].isEmpty:
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, .some(let suffix)) where ends[0].isEmpty:
            self = suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        default:
            self = .whole
        }
    }

    /// Parses digits only; a number that is too large becomes the largest.
    private static func position(_ text: Substring) -> Int64? {
        text.utf8.decimalNumber(clampedTo: .max)
    }
}

/// The entity tags of an If-Match or If-None-Match field (RFC 9110 sections 13.1.1 and 13.1.2).
struct EntityTags {
    private let tags: [Substring.UTF8View]
    private let isAny: Bool

    init(_ fields: [String]) {
        let quote = UInt8(ascii: "\"")
        var rest = fields.joined(separator: ",").utf8[...]
        self.isAny = rest.filter { !$0.isBlank } == [UInt8(ascii: "*")]
        var tags: [Substring.UTF8View] = []
        while let first = rest.first {
            if first.isBlank || first == UInt8(ascii: ",") {
                rest.removeFirst()
                continue
            }
            let opaque = Self.opaque(rest)
            // A comma may be inside the quotation marks (RFC 9110 section 8.8.3).
            guard opaque.first == quote, let end = opaque.dropFirst().firstIndex(of: quote) else {
                // It is not an entity tag.
                rest = rest.drop { $0 != UInt8(ascii: ",") }
                continue
            }
            tags.append(rest[...end])
            rest = rest[end...].dropFirst()
        }
        self.tags = tags
    }

    /// Whether a tag is in the list by strong comparison (RFC 9110 section 8.8.3.2).
    func matchStrongly(_ tag: String) -> Bool {
        self.isAny || (!tag.utf8.starts(with: "W/".utf8) && self.tags.contains { $0.elementsEqual(tag.utf8) })
    }

    /// Whether a tag is in the list by weak comparison.
    func matchWeakly(_ tag: String) -> Bool {
        let opaque = Self.opaque(tag.utf8[...])
        return self.isAny || self.tags.contains { Self.opaque($0).elementsEqual(opaque) }
    }

    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View {
        tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
    }
}
