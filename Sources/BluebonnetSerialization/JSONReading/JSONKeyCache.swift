// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A cache of a document's most recent member names.
///
/// Records repeat their names; a cached name costs a comparison instead of a new string.
///
/// It points to the bytes of the document that is being parsed.
struct JSONKeyCache {
    private struct Entry {
        var hash: UInt64
        var text: UnsafeRawBufferPointer
        var string: String
    }

    private static let size = 256
    private var entries: [Entry]

    init() {
        let empty = Entry(hash: 0, text: UnsafeRawBufferPointer(start: nil, count: 0), string: "")
        self.entries = Array(repeating: empty, count: Self.size)
    }

    /// The name as a string; nil if it is not UTF-8.
    @inline(__always)
    mutating func string(for text: UnsafeRawBufferPointer, hash: UInt64) -> String? {
        let slot = Int(truncatingIfNeeded: hash &>> 32) & (Self.size &- 1)
        if self.entries[slot].hash == hash, JSONText.areEqual(self.entries[slot].text, text) {
            return self.entries[slot].string
        }
        guard let string = JSONReader.makeString(text, isASCII: false) else { return nil }
        self.entries[slot] = Entry(hash: hash, text: text, string: string)
        return string
    }

    /// A quick hash of a name's bytes, never 0.
    @inline(__always)
    static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: text.count) &+ 1
        var position = 0
        while position &+ 8 <= text.count {
            hash = (hash ^ text.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash &>> 29
            position &+= 8
        }
        var rest: UInt64 = 0
        while position < text.count {
            rest = rest &<< 8 | UInt64(text[position])
            position &+= 1
        }
        hash = (hash ^ rest) &* 0x9E37_79B9_7F4A_7C15
        return hash | 1
    }
}
