// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The bytes of a file; reading beyond their end is an error.
struct ImageBytes {
    let bytes: [UInt8]

    init(_ data: Data) {
        self.bytes = Array(data)
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int { self.bytes.count }

    static let cutShort = ImageError(.malformed, reason: "the picture is cut short")

    func byte(at offset: Int) throws(ImageError) -> UInt8 {
        guard offset >= 0, offset < self.bytes.count else { throw Self.cutShort }
        return self.bytes[offset]
    }

    /// Reads two bytes in little-endian order.
    func short(at offset: Int) throws(ImageError) -> Int {
        try Int(self.byte(at: offset)) | Int(self.byte(at: offset + 1)) << 8
    }

    /// Reads four bytes in little-endian order.
    func word(at offset: Int) throws(ImageError) -> Int {
        try self.short(at: offset) | self.short(at: offset + 2) << 16
    }

    /// Reads four bytes as two's complement in little-endian order.
    func signedWord(at offset: Int) throws(ImageError) -> Int {
        Int(Int32(truncatingIfNeeded: try self.word(at: offset)))
    }

    func slice(_ offset: Int, _ count: Int) throws(ImageError) -> ArraySlice<UInt8> {
        guard offset >= 0, count >= 0, offset <= self.bytes.count, count <= self.bytes.count - offset else {
            throw Self.cutShort
        }
        return self.bytes[offset..<offset + count]
    }
}
