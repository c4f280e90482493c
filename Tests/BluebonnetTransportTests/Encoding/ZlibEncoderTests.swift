// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import CZlib
import Testing

@Suite struct ZlibEncoderTests {
    @Test(arguments: [0, 1, 1000, 300_000], [true, false])
    func `bytes in memory are encoded so that zlib decodes them, compressible or not`(
        count: Int,
        isRandom: Bool
    ) throws {
        let bytes = (0..<count).map { isRandom ? UInt8.random(in: .min ... .max) : UInt8(truncatingIfNeeded: $0 / 7) }
        let encoded = try #require(ZlibEncoder.deflate(bytes))
        var decoded = [UInt8](repeating: 0, count: count + 1)
        var decodedCount = uLong(decoded.count)
        #expect(uncompress(&decoded, &decodedCount, encoded, uLong(encoded.count)) == Z_OK)
        #expect(decodedCount == uLong(count))
        #expect(decoded.dropLast().elementsEqual(bytes))
        if count == 300_000, !isRandom { #expect(encoded.count < count / 50) }
    }
}
