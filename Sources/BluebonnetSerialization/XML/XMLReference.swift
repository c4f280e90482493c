// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decodes references: the five predefined entities and character references.
///
/// Others cannot exist without declarations (XML 1.0 sections 4.1 and 4.6).
enum XMLReference {
    /// Why a reference is invalid.
    enum Fault: Error {
        case noEnd, unknown

        var problem: String {
            switch self {
            case .noEnd: "a reference without an end"
            case .unknown: "a reference to something that is not known"
            }
        }
    }

    /// The largest number of bytes of a reference.
    ///
    /// The longest one without leading zeros is `&#x10FFFF;`. Any number of zeros is well-formed (XML 1.0 section 4.1);
    /// the limit keeps the time linear.
    private static let largestByteCount = 64

    /// Decodes the reference whose `&` comes next.
    static func read(_ cursor: inout XMLCursor) throws(Fault) -> Unicode.Scalar {
        let window = cursor.bytes[cursor.position...].prefix(Self.largestByteCount)
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else { throw .noEnd }
        guard let scalar = Self.replacement(for: cursor.text((cursor.position + 1)..<end)) else { throw .unknown }
        cursor.position = end + 1
        return scalar
    }

    private static func replacement(for name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: Self.scalar(name)
        }
    }

    /// Returns the scalar of `#123` or `#x1F`; nil if XML does not allow the character (XML 1.0 section 2.2).
    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.utf8.first == UInt8(ascii: "#") else { return nil }
        var digits = name.utf8.dropFirst()
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        if isHexadecimal { digits.removeFirst() }
        guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let value = UInt32(Substring(digits), radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value)
        else { return nil }
        let isAllowed = value >= 0x20 ? value != 0xFFFE && value != 0xFFFF : XMLCursor.isSpace(UInt8(value))
        return isAllowed ? scalar : nil
    }
}
