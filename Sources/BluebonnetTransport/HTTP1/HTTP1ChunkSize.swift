// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Reads the size line of a chunk (RFC 9112 section 7.1).
enum HTTP1ChunkSize {
    /// The size at the front of a line; extensions after it are allowed and ignored.
    static func parse(_ line: ByteBuffer) throws(TransportError) -> Int64 {
        var size: Int64 = 0
        var digits = 0
        var rest = line.readableBytesView
        while let byte = rest.first, let digit = Self.value(of: byte) {
            // Fifteen hexadecimal digits fit into an Int64 whatever they are; no real chunk is larger.
            guard digits < 15 else { throw .violation("a chunk of the reply claims an impossible size") }
            size = size << 4 | Int64(digit)
            digits += 1
            rest = rest.dropFirst()
        }
        while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest = rest.dropFirst() }
        guard digits > 0, rest.isEmpty || rest.first == UInt8(ascii: ";"), !rest.contains(0x0D), !rest.contains(0)
        else {
            throw .violation("a chunk of the reply has no valid size")
        }
        return size
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
