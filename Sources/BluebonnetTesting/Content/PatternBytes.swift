// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// An endless pseudo-random sequence of bytes that is the same everywhere: the content of `/bytes/N`.
///
/// The bytes are the output of SplitMix64 with seed `0x426C7565626F6E6E`, eight bytes per step in little-endian order,
/// truncated after 1,048,573 bytes and repeated. That period is a prime, so a misplaced piece is detected even if its
/// offset is wrong by a power of two.
public enum PatternBytes {
    /// The number of bytes after which the sequence repeats.
    public static let period = 1_048_573

    /// The first period, followed by enough of the second that any slice of up to `sliceLimit` bytes is contiguous.
    static let block: ByteBuffer = {
        var state: UInt64 = 0x426C_7565_626F_6E6E
        var block = ByteBuffer()
        block.reserveCapacity(minimumWritableBytes: Self.period + Self.sliceLimit + 8)
        while block.writerIndex < Self.period {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            block.writeInteger(word ^ (word >> 31), endianness: .little)
        }
        block.moveWriterIndex(to: Self.period)
        if let start = block.getSlice(at: 0, length: Self.sliceLimit) { block.writeImmutableBuffer(start) }
        return block
    }()

    static let sliceLimit = 256 * 1024

    /// Returns a piece of the sequence, without a copy.
    ///
    /// - Parameters:
    ///   - offset: Its start, not negative.
    ///   - byteCount: Its length, at most `sliceLimit`.
    /// - Returns: The piece.
    static func slice(at offset: Int64, byteCount: Int) -> ByteBuffer {
        self.block.getSlice(at: Int(offset % Int64(self.period)), length: byteCount) ?? ByteBuffer()
    }

    /// Returns the bytes of a range, for comparison in a test.
    ///
    /// - Parameter range: The positions; a negative range is empty.
    /// - Returns: The bytes, in memory.
    /// - Complexity: Linear in the number of bytes.
    public static func bytes(in range: Range<Int64>) -> [UInt8] {
        var source = BodySource(pattern: range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: source.byteCount))
        while let piece = source.next(upTo: self.sliceLimit) { bytes.append(contentsOf: piece.readableBytesView) }
        return bytes
    }

    /// Returns the first bytes, for comparison in a test.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: The bytes, in memory.
    public static func bytes(_ count: Int) -> [UInt8] {
        self.bytes(in: 0..<Int64(max(0, count)))
    }

    /// Returns the SHA-256 digest of the first bytes, computed piece by piece.
    ///
    /// - Parameter byteCount: The number of bytes; may be more than memory holds.
    /// - Returns: The digest in lower-case hexadecimal.
    /// - Complexity: Linear in the number of bytes, about a second per gigabyte or two; constant memory.
    @concurrent
    public static func sha256(ofFirst byteCount: Int64) async -> String {
        var digest = BodyDigest()
        var source = BodySource(pattern: 0..<max(0, byteCount))
        while let piece = source.next(upTo: self.sliceLimit) { digest.update(piece) }
        return digest.sha256
    }
}
