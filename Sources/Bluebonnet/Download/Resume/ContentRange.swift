// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// A Content-Range field in bytes (RFC 9110 section 14.4).
enum ContentRange: Equatable, Sendable {
    /// These positions, and the total number of bytes; nil if that is unknown.
    case part(ClosedRange<Int64>, of: Int64?)
    /// The range was not satisfiable; the total number of bytes.
    case unsatisfied(of: Int64)

    /// Parses the field of a response; nil if there is none, more than one or an invalid one, or if the body has several
    /// parts.
    ///
    /// Several parts have delimiters between them, and a field each; the response must not have one (RFC 9110 section
    /// 15.3.7.2).
    init?(_ headers: HTTPFields) {
        let values = headers[values: .contentRange]
        guard values.count == 1, !Self.hasSeveralParts(headers), let range = Self(values[0]) else { return nil }
        self = range
    }

    /// Parses the value of a field: `bytes 0-99/1000`, `bytes 0-99/*` or `bytes */1000`.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 6, zip(bytes, "bytes ".utf8).allSatisfy({ $0 | 0x20 == $1 }), bytes[5] == 0x20,
            let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
        else { return nil }
        let (range, complete) = (bytes[6..<slash], bytes[(slash + 1)...])
        let isUnknown = complete.elementsEqual("*".utf8)
        let total = Self.number(complete)
        guard isUnknown || total != nil else { return nil }
        if range.elementsEqual("*".utf8) {
            guard let total else { return nil }
            self = .unsatisfied(of: total)
            return
        }
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")), let first = Self.number(range[..<dash]),
            let last = Self.number(range[(dash + 1)...]), first <= last, last < total ?? .max
        else { return nil }
        self = .part(first...last, of: total)
    }

    private static func hasSeveralParts(_ headers: HTTPFields) -> Bool {
        let name = "multipart/byteranges"
        return headers[values: .contentType].contains {
            $0.utf8.prefix(name.utf8.count).map(\.asciiLowercased) == Array(name.utf8)
        }
    }

    /// A number that consists only of digits; nil if it is too large.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.count <= 19 ? digits.decimalNumber() : nil
    }
}
