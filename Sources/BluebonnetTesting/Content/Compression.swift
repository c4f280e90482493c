// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Compresses bytes, so that a test can send encoded content.
///
/// The encoder has one block type (fixed codes) and uses the nearest match; its output is valid but not minimal. It
/// shares no code with the decoder under test.
public enum Compression {
    /// Compresses bytes in the gzip format (RFC 1952), `Content-Encoding: gzip`.
    ///
    /// - Parameter bytes: The bytes to compress.
    /// - Returns: The compressed bytes.
    /// - Complexity: Linear.
    public static func gzip(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var encoder = DeflateEncoder(header: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        encoder.write(bytes)
        return encoder.output + self.littleEndian(self.crc32(bytes))
            + self.littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Compresses bytes in the zlib format (RFC 1950), `Content-Encoding: deflate`.
    ///
    /// - Parameter bytes: The bytes to compress.
    /// - Returns: The compressed bytes.
    /// - Complexity: Linear.
    public static func zlib(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        var encoder = DeflateEncoder(header: [0x78, 0x9C])
        encoder.write(bytes)
        return encoder.output + self.littleEndian(self.adler32(bytes)).reversed()
    }

    /// Compresses bytes as a raw deflate stream (RFC 1951), which some servers wrongly send as `Content-Encoding:
    /// deflate`.
    ///
    /// - Parameter bytes: The bytes to compress.
    /// - Returns: The compressed bytes.
    /// - Complexity: Linear.
    public static func deflate(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var encoder = DeflateEncoder(header: [])
        encoder.write(Array(bytes))
        return encoder.output
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in self.crcTable[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
        }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }

    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
}
