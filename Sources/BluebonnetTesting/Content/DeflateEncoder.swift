// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Writes one deflate block with fixed codes (RFC 1951 section 3.2.6).
struct DeflateEncoder {
    private(set) var output: [UInt8]
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthExtra: [UInt32] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145, 8193,
        12289, 16385, 24577,
    ]
    private static let distanceExtra: [UInt32] = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]

    /// Creates an encoder whose output begins with the header of a surrounding format.
    init(header: [UInt8]) {
        self.output = header
    }

    /// Writes the only block.
    mutating func write(_ bytes: [UInt8]) {
        self.put(0b011, 3)
        // For each hash of three bytes, the position of their last occurrence.
        var places = [Int](repeating: -1, count: 1 << 14)
        var index = 0
        while index < bytes.count {
            let match = Self.match(at: index, in: bytes, &places)
            if match.length >= 3 {
                self.putMatch(length: match.length, distance: match.distance)
                index += match.length
            } else {
                self.putSymbol(Int(bytes[index]))
                index += 1
            }
        }
        self.putSymbol(256)
        if self.bitCount > 0 { self.put(0, 8 - self.bitCount) }
    }

    private static func match(at index: Int, in bytes: [UInt8], _ places: inout [Int]) -> (length: Int, distance: Int) {
        guard index + 3 <= bytes.count else { return (0, 0) }
        let key = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
        let slot = Int((key &* 0x9E37_79B1) >> 18)
        let candidate = places[slot]
        places[slot] = index
        guard candidate >= 0, index - candidate <= 32768 else { return (0, 0) }
        var length = 0
        while length < 258, index + length < bytes.count, bytes[candidate + length] == bytes[index + length] {
            length += 1
        }
        return (length, index - candidate)
    }

    private mutating func putMatch(length: Int, distance: Int) {
        let lengthIndex = Self.lengthBases.lastIndex { $0 <= length } ?? 0
        self.putSymbol(257 + lengthIndex)
        self.put(UInt32(length - Self.lengthBases[lengthIndex]), Self.lengthExtra[lengthIndex])
        let distanceIndex = Self.distanceBases.lastIndex { $0 <= distance } ?? 0
        self.putCode(UInt32(distanceIndex), 5)
        self.put(UInt32(distance - Self.distanceBases[distanceIndex]), Self.distanceExtra[distanceIndex])
    }

    private mutating func putSymbol(_ symbol: Int) {
        switch symbol {
        case 0..<144: self.putCode(UInt32(0b0011_0000 + symbol), 8)
        case 144..<256: self.putCode(UInt32(0b1_1001_0000 + symbol - 144), 9)
        case 256..<280: self.putCode(UInt32(symbol - 256), 7)
        default: self.putCode(UInt32(0b1100_0000 + symbol - 280), 8)
        }
    }

    /// Codes are written from their highest bit on, everything else from the lowest.
    private mutating func putCode(_ code: UInt32, _ count: UInt32) {
        var reversed: UInt32 = 0
        for bit in 0..<count where code & (1 << bit) != 0 { reversed |= 1 << (count - 1 - bit) }
        self.put(reversed, count)
    }

    private mutating func put(_ value: UInt32, _ count: UInt32) {
        self.bits |= value << self.bitCount
        self.bitCount += count
        while self.bitCount >= 8 {
            self.output.append(UInt8(truncatingIfNeeded: self.bits))
            self.bits >>= 8
            self.bitCount -= 8
        }
    }
}
