// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The three kinds of bytes that end a run of plain text in a JSON string: the quote, the backslash and control
/// characters.
enum JSONText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Checks eight bytes at once: the lowest bit set is in the first byte that ends a run; 0 if none does.
    ///
    /// Bytes after that one may be marked wrongly, because a subtraction borrows from its neighbour; the first one is
    /// always correct.
    @inline(__always)
    static func stops(in word: UInt64) -> UInt64 {
        let quotes = word ^ (Self.ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (Self.ones &* UInt64(UInt8(ascii: "\\")))
        let isQuote = (quotes &- Self.ones) & ~quotes
        let isBackslash = (backslashes &- Self.ones) & ~backslashes
        let isControl = (word &- Self.ones &* 0x20) & ~word
        return (isQuote | isBackslash | isControl) & Self.highBits
    }

    @inline(__always)
    static func isStop(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    /// Whether two texts have the same bytes.
    @inline(__always)
    static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var position = 0
        while position &+ 8 <= left.count {
            let word = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: position, as: UInt64.self) else { return false }
            position &+= 8
        }
        while position < left.count {
            guard left[position] == right[position] else { return false }
            position &+= 1
        }
        return true
    }
}
