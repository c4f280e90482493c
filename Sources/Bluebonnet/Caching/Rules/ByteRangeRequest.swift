// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A Range field that asks for one range of bytes (RFC 9110 section 14.1.2).
enum ByteRangeRequest: Equatable {
    /// The bytes from one position to another, both included; nil for the end.
    case positions(Int64, Int64?)
    /// The last bytes.
    case suffix(Int64)

    /// Reads a field; nil if it asks for anything else, for example several ranges.
    init?(_ text: String) {
        let bytes = Array(text.utf8).trimmingBlanks
        guard bytes.prefix(6).map(\.asciiLowercased).elementsEqual("bytes=".utf8) else { return nil }
        let range = bytes.dropFirst(6).trimmingBlanks
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (range[..<dash], range[(dash + 1)...])
        if first.isEmpty {
            guard let count = Self.number(last) else { return nil }
            self = .suffix(count)
            return
        }
        guard let start = Self.number(first) else { return nil }
        if last.isEmpty {
            self = .positions(start, nil)
        } else {
            guard let end = Self.number(last), end >= start else { return nil }
            self = .positions(start, end)
        }
    }

    /// The range in a body of a given length; nil if it cannot be satisfied (416).
    func range(in length: Int64) -> Range<Int64>? {
        switch self {
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        case .positions(let start, let end):
            guard start < length else { return nil }
            let last = min(end ?? .max, length - 1)
            return start..<(last + 1)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        bytes.decimalNumber(clampedTo: .max)
    }
}
