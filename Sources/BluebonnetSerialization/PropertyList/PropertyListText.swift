// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
internal import FoundationEssentials

/// Converts the text of XML elements to values; returns nil for invalid text.
enum PropertyListText {
    /// Parses decimal or, after `0x`, hexadecimal digits, with or without a sign.
    static func integer(_ text: String) -> PropertyListValue? {
        var digits = Self.trimmed(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
        if isHexadecimal { digits.removeFirst(2) }
        guard let first = digits.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
            let magnitude = UInt64(Substring(digits), radix: isHexadecimal ? 16 : 10)
        else { return nil }
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { return nil }
            return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
        }
        return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
    }

    static func real(_ text: String) -> PropertyListValue? {
        let text = Self.trimmed(text)
        guard text.utf8.count <= 1_000 else { return nil }
        return Double(text).map { .real($0) }
    }

    static func data(_ text: String) -> PropertyListValue? {
        Data(base64Encoded: Data(text.utf8.filter { !XMLCursor.isSpace($0) })).map { .data($0) }
    }

    /// Parses `YYYY-MM-DDThh:mm:ssZ`, in UTC.
    static func date(_ text: String) -> PropertyListValue? {
        let bytes = Array(Self.trimmed(text).utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        var fields: [Int] = [0]
        for (byte, expected) in zip(bytes, pattern) {
            if expected == UInt8(ascii: "0") {
                guard byte.isASCIIDigit else { return nil }
                fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(byte - 0x30)
            } else {
                guard byte == expected else { return nil }
                fields.append(0)
            }
        }
        let (year, month, day, hour, minute, second) = (
            fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]
        )
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, hour < 24, minute < 60, second < 61 else { return nil }
        let seconds = date.dayNumber * 86_400 + hour * 3_600 + minute * 60 + second
        return .date(Date(timeIntervalSince1970: Double(seconds)))
    }

    private static func trimmed(_ text: String) -> Substring {
        var rest = Substring(text).utf8
        while let first = rest.first, XMLCursor.isSpace(first) { rest.removeFirst() }
        while let last = rest.last, XMLCursor.isSpace(last) { rest.removeLast() }
        return Substring(rest)
    }
}
