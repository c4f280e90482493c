// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTesting

struct CompressionTests {
    static let samples: [[UInt8]] = [
        [], [0], Array("abc".utf8), Array(repeating: 0, count: 100_000), PatternBytes.bytes(5000),
        Array(String(repeating: "the quick brown fox; ", count: 900).utf8),
        PatternBytes.bytes(300) + Array(repeating: 7, count: 32_600) + PatternBytes.bytes(300),
        Array(0...255) + Array(0...255).reversed() + Array(0...255),
    ]

    @Test(arguments: Self.samples)
    func `what is compressed can be expanded`(bytes: [UInt8]) throws {
        var reader = FixedBlockReader(bytes: Compression.deflate(bytes))
        #expect(reader.expand() == bytes)
    }

    @Test func `repetition becomes short`() {
        #expect(Compression.deflate([UInt8](repeating: 0, count: 100_000)).count < 1000)
    }

    @Test func `the checksums are those of the standards`() {
        #expect(Compression.crc32(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(Compression.adler32(Array("Wikipedia".utf8)) == 0x11E6_0398)
    }

    @Test func `the formats have their headers and trailers`() {
        let bytes = Array("123456789".utf8)
        let plain = Compression.deflate(bytes)
        #expect(
            Compression.gzip(bytes) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + plain + [
                0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0,
            ]
        )
        #expect(Compression.zlib(bytes) == [0x78, 0x9C] + plain + [0x09, 0x1E, 0x01, 0xDE])
    }
}

/// Expands one block with fixed codes, straight from the tables of RFC 1951 section 3.2.
private struct FixedBlockReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func expand() -> [UInt8]? {
        guard self.number(1) == 1, self.number(2) == 1 else { return nil }
        var output: [UInt8] = []
        while let symbol = self.symbol() {
            if symbol < 256 {
                output.append(UInt8(symbol))
            } else if symbol == 256 {
                return self.position + 7 >= self.bytes.count * 8 ? output : nil
            } else {
                // A length code: groups of four codes, each group with one more extra bit than the one before.
                let code = symbol - 257
                let extra = code < 8 || code == 28 ? 0 : (code - 4) / 4
                let base = code == 28 ? 258 : code < 8 ? code + 3 : ((4 + code % 4) << extra) + 3
                let length = base + self.number(extra)
                let distanceCode = self.code(5)
                let distanceExtra = distanceCode < 4 ? 0 : (distanceCode - 2) / 2
                let distanceBase = distanceCode < 4 ? distanceCode + 1 : ((2 + distanceCode % 2) << distanceExtra) + 1
                let distance = distanceBase + self.number(distanceExtra)
                guard distance <= output.count else { return nil }
                for _ in 0..<length { output.append(output[output.count - distance]) }
            }
        }
        return nil
    }

    private mutating func symbol() -> Int? {
        guard self.position < self.bytes.count * 8 else { return nil }
        let seven = self.code(7)
        if seven < 0b001_1000 { return 256 + seven }
        let eight = seven << 1 | self.number(1)
        if (0b0011_0000...0b1011_1111).contains(eight) { return eight - 0b0011_0000 }
        if (0b1100_0000...0b1100_0111).contains(eight) { return 280 + eight - 0b1100_0000 }
        return 144 + (eight << 1 | self.number(1)) - 0b1_1001_0000
    }

    private mutating func bit() -> Int {
        defer { self.position += 1 }
        return self.position < self.bytes.count * 8
            ? Int(self.bytes[self.position / 8] >> UInt8(self.position % 8)) & 1 : 0
    }

    private mutating func number(_ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | self.bit() << $1 }
    }

    private mutating func code(_ count: Int) -> Int {
        (0..<count).reduce(0) { number, _ in number << 1 | self.bit() }
    }
}
