// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes an animated WebP (RFC 9649) from frames of one color.
struct PlainWebP {
    struct Frame: Sendable {
        /// The left edge and the top edge, which are even.
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        /// Straight RGBA.
        var color: [UInt8]
        /// Whether the frame is blended with what is below it; else it replaces that.
        var isBlended = false
        /// Whether the area of the frame is cleared before the next one.
        var isDisposed = false
    }

    var width: Int
    var height: Int
    /// Whether the header declares alpha.
    var declaresAlpha = false

    func make(_ frames: [Frame]) -> Data {
        var chunks = Self.chunk(
            "VP8X",
            [self.declaresAlpha ? 0x12 : 0x02, 0, 0, 0] + Self.number(self.width - 1, 3)
                + Self.number(self.height - 1, 3)
        )
        chunks += Self.chunk("ANIM", [0, 0, 0, 0, 0, 0])
        for frame in frames {
            var head = Self.number(frame.x / 2, 3) + Self.number(frame.y / 2, 3)
            head += Self.number(frame.width - 1, 3) + Self.number(frame.height - 1, 3) + Self.number(100, 3)
            head.append((frame.isBlended ? 0 : 2) | (frame.isDisposed ? 1 : 0))
            chunks += Self.chunk("ANMF", head + Self.chunk("VP8L", Self.picture(frame)))
        }
        return Data(Self.chunk("RIFF", Array("WEBP".utf8) + chunks))
    }

    /// Returns a lossless picture whose prefix codes have one symbol each, so that its pixels take no bits.
    private static func picture(_ frame: Frame) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0x2F, 8)
        bits.append(frame.width - 1, 14)
        bits.append(frame.height - 1, 14)
        bits.append(frame.color[3] == 255 ? 0 : 1, 1)
        // The version, then: no transform, no color cache, no meta prefix codes.
        bits.append(0, 3 + 3)
        for component in [1, 0, 2, 3] {
            // A simple code with one symbol of eight bits.
            bits.append(0b101, 3)
            bits.append(Int(frame.color[component]), 8)
        }
        // A simple code with one symbol of one bit for the distances, which do not occur.
        bits.append(0b0001, 4)
        return bits.bytes
    }

    /// Collects bits from the lowest on.
    private struct BitWriter {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func append(_ value: Int, _ size: Int) {
            for bit in 0..<size {
                if self.count.isMultiple(of: 8) { self.bytes.append(0) }
                self.bytes[self.count / 8] |= UInt8(value >> bit & 1) << UInt8(self.count % 8)
                self.count += 1
            }
        }
    }

    private static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: bytes.count % 2)
        return Array(name.utf8) + Self.number(bytes.count, 4) + bytes + padding
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
