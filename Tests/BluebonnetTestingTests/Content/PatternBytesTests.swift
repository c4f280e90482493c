// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import NIOCore
import Testing

@testable import BluebonnetTesting

struct PatternBytesTests {
    @Test func `begins with the bytes of SplitMix64 and its documented seed`() {
        var random = SplitMix(state: 0x426C_7565_626F_6E6E)
        var expected: [UInt8] = []
        for _ in 0..<8 { withUnsafeBytes(of: random.next().littleEndian) { expected += $0 } }
        #expect(PatternBytes.bytes(64) == expected)
    }

    @Test func `a range is the same as that part of the whole, also across the seam`() {
        let whole = PatternBytes.bytes(PatternBytes.period + 1000)
        let period = Int64(PatternBytes.period)
        for range in [0..<10, 5..<5, period - 7..<period + 9, period - 300_000..<period + 900] as [Range<Int64>] {
            #expect(PatternBytes.bytes(in: range) == Array(whole[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        #expect(PatternBytes.bytes(in: period * 1_000_000..<period * 1_000_000 + 5) == Array(whole[..<5]))
        #expect(PatternBytes.bytes(in: -5..<5).isEmpty)
        #expect(PatternBytes.bytes(-5).isEmpty)
    }

    @Test func `the digest is that of the bytes`() async {
        let count = PatternBytes.period * 2 + 17
        let digest = SHA256.hash(data: PatternBytes.bytes(count)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        #expect(await PatternBytes.sha256(ofFirst: Int64(count)) == digest.joined())
        #expect(
            await PatternBytes.sha256(ofFirst: 0) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test func `a source gives every byte once, whatever the size of the pieces`() {
        for limit in [1, 7, 1000, 1 << 20] {
            var source = BodySource(pattern: 100..<5000)
            var bytes: [UInt8] = []
            while let piece = source.next(upTo: limit) { bytes += Array(buffer: piece) }
            #expect(bytes == PatternBytes.bytes(in: 100..<5000))
            #expect(source.byteCount == 0)
        }
    }
}
