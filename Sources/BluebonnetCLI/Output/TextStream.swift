// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Turns bytes that arrive in pieces into text, without breaking a character that is spread over two of them.
struct TextStream {
    private var rest: [UInt8] = []

    /// The text of the next bytes, as far as its characters are complete.
    mutating func text(of bytes: UnsafeRawBufferPointer) -> String {
        self.rest.append(contentsOf: bytes)
        var end = self.rest.count - Self.incompleteSuffix(of: self.rest)
        // A carriage return stays with the line feed that may follow it.
        if end > 0, self.rest[end - 1] == 0x0D { end -= 1 }
        defer { self.rest.removeFirst(end) }
        return String(decoding: self.rest[..<end], as: UTF8.self)
    }

    /// The text of what is left; a character that was never completed becomes U+FFFD.
    mutating func finish() -> String {
        defer { self.rest = [] }
        return String(decoding: self.rest, as: UTF8.self)
    }

    /// The number of bytes at the end that may be the beginning of a character.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length < needed ? length : 0
        }
        return 0
    }
}
