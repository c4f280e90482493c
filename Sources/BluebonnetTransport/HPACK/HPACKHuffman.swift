// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The Huffman code of string literals (RFC 7541 section 5.2 and Appendix B).
///
/// The code is canonical: codes of the same length follow each other in the order of their symbols, so the lengths
/// define it.
enum HPACKHuffman {
    /// The effect of four bits of input in one state.
    private struct Step {
        var state: UInt8 = 0
        var symbol: UInt8 = 0
        var emits = false
        var isBroken = false
    }

    /// The bits of a code, right-aligned, and their number.
    private struct Code {
        var bits: UInt32 = 0
        var bitCount = 0
    }

    /// The EOS symbol, which no string contains.
    private static let endOfString = 256

    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20,
        20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23,
        24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22,
        22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27,
        24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26,
        26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]

    private static let codes: [Code] = {
        var codes = [Code](repeating: Code(), count: Self.lengths.count)
        var (next, length): (UInt32, UInt8) = (0, 0)
        for symbol in codes.indices.sorted(by: { (Self.lengths[$0], $0) < (Self.lengths[$1], $1) }) {
            next <<= UInt32(Self.lengths[symbol] - length)
            length = Self.lengths[symbol]
            codes[symbol] = Code(bits: next, bitCount: Int(length))
            next += 1
        }
        return codes
    }()

    // MARK: Decoding

    /// The inner nodes of the tree; a negative child is a symbol.
    private static func tree() -> [(Int, Int)] {
        var nodes = [(0, 0)]
        for (symbol, code) in Self.codes.enumerated() {
            var node = 0
            for place in (0..<code.bitCount).reversed() {
                let isRight = code.bits >> UInt32(place) & 1 == 1
                var child = isRight ? nodes[node].1 : nodes[node].0
                if place == 0 {
                    child = -1 - symbol
                } else if child == 0 {
                    child = nodes.count
                    nodes.append((0, 0))
                }
                if isRight { nodes[node].1 = child } else { nodes[node].0 = child }
                if place > 0 { node = child }
            }
        }
        return nodes
    }

    /// Sixteen steps for each of the 256 inner nodes: no code is shorter than five bits, so four bits complete at most
    /// one.
    private static let steps: [Step] = {
        let nodes = Self.tree()
        var steps = [Step]()
        steps.reserveCapacity(nodes.count * 16)
        for start in nodes.indices {
            for bits in 0..<16 {
                var (step, node) = (Step(), start)
                for place in (0..<4).reversed() {
                    let child = bits >> place & 1 == 1 ? nodes[node].1 : nodes[node].0
                    node = Swift.max(child, 0)
                    if child == -1 - Self.endOfString {
                        step.isBroken = true
                    } else if child < 0 {
                        step.symbol = UInt8(-1 - child)
                        step.emits = true
                    }
                }
                step.state = UInt8(node)
                steps.append(step)
            }
        }
        return steps
    }()

    /// The states in which a string may end: up to seven bits of padding, all set.
    private static let ends: [Bool] = {
        let nodes = Self.tree()
        var (ends, node) = ([Bool](repeating: false, count: nodes.count), 0)
        for _ in 0..<8 {
            ends[node] = true
            node = nodes[node].1
        }
        return ends
    }()

    /// The maximum length that a coded string of this length can decode to, in bytes.
    static func decodedLimit(_ byteCount: Int) -> Int { byteCount * 8 / 5 + 1 }

    /// Decodes a string.
    ///
    /// - Parameters:
    ///   - bytes: The coded string.
    ///   - output: A buffer with room for ``decodedLimit(_:)``.
    /// - Returns: The number of bytes written; nil if the string contains EOS or its padding is wrong.
    static func decode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>) -> Int? {
        let steps = Self.steps
        var (state, count) = (0, 0)
        for half in 0..<bytes.count * 2 {
            let bits = Int(bytes[half >> 1] >> (half & 1 == 0 ? 4 : 0) & 0x0F)
            let step = steps[state << 4 | bits]
            if step.isBroken { return nil }
            if step.emits {
                output[count] = step.symbol
                count += 1
            }
            state = Int(step.state)
        }
        return Self.ends[state] ? count : nil
    }

    // MARK: Encoding

    /// Returns the coded length of a string, in bytes.
    static func encodedCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let lengths = Self.lengths
        return (bytes.reduce(0) { $0 + Int(lengths[Int($1)]) } + 7) / 8
    }

    /// Encodes a string, padded with the most significant bits of EOS.
    static func encode(_ bytes: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer) {
        let codes = Self.codes
        var (pending, pendingCount): (UInt64, Int) = (0, 0)
        for byte in bytes {
            let code = codes[Int(byte)]
            pending = pending << UInt64(code.bitCount) | UInt64(code.bits)
            pendingCount += code.bitCount
            while pendingCount >= 8 {
                pendingCount -= 8
                output.writeInteger(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount)))
            }
        }
        guard pendingCount > 0 else { return }
        let padding = 8 - pendingCount
        output.writeInteger(UInt8(truncatingIfNeeded: pending << UInt64(padding) | (1 << UInt64(padding) - 1)))
    }
}
