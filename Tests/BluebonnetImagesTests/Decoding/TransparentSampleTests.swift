// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

/// Files whose alpha the libraries do not return as it is needed.
@Suite(.timeLimit(.minutes(1))) struct TransparentSampleTests {
    /// Premultiplied (100, 50, 0) with alpha 128, in 8 × 8 pixels, written by libheif 1.15.1 without loss.
    @Test(.bug(id: "F265"), arguments: try Fixture.load("premultiplied", as: [StoredImage].self))
    func `premultiplied alpha of AVIF and HEIC is returned as straight alpha`(_ file: StoredImage) async throws {
        let image = try Image(file.data)
        #expect(image.header.hasAlpha)
        let straight = try await image.pixels(layout: .rgba)
        let expected = Array(repeating: [199, 100, 0, 128] as [UInt8], count: 64).flatMap { $0 }
        #expect(largestDifference(straight.bytes, expected) <= 4)
    }

    @Test(.bug(id: "F266"), arguments: [[], [0]], [false, true])
    func `a fourth sample of unspecified meaning in a TIFF does not make its thumbnail black`(
        _ extraSamples: [Int],
        _ isTiled: Bool
    ) async throws {
        let file = PlainTIFF(
            width: 4,
            samplesPerPixel: 4,
            photometric: 2,
            extraSamples: extraSamples,
            isTiled: isTiled
        )
        let image = try Image(file.make([200, 100, 50, 0, 200, 100, 50, 7, 100, 0, 50, 0, 100, 0, 50, 255]))
        #expect(!image.header.hasAlpha)
        let whole: [UInt8] = [200, 100, 50, 255, 200, 100, 50, 255, 100, 0, 50, 255, 100, 0, 50, 255]
        #expect(try await image.pixels(layout: .rgba).bytes == whole)
        let small = try await image.thumbnail(longestSide: 2)
        #expect(try await small.pixels(layout: .rgba).bytes == [200, 100, 50, 255, 100, 0, 50, 255])
    }

    struct Gray: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var photometric: Int
        var extraSamples: Int
        var expected: [UInt8]
    }

    private static let alphas: [UInt8] = [128, 255, 0, 2, 3, 200]

    static let grays = [
        Gray(
            testDescription: "black is zero, straight",
            photometric: 1,
            extraSamples: 2,
            expected: [100, 50, 0, 1, 3, 90]
        ),
        Gray(
            testDescription: "black is zero, premultiplied",
            photometric: 1,
            extraSamples: 1,
            expected: [199, 50, 0, 128, 255, 115]
        ),
        Gray(
            testDescription: "white is zero, straight",
            photometric: 0,
            extraSamples: 2,
            expected: [155, 205, 255, 254, 252, 165]
        ),
        Gray(
            testDescription: "white is zero, premultiplied",
            photometric: 0,
            extraSamples: 1,
            expected: [255, 205, 255, 255, 255, 210]
        ),
    ]

    @Test(.bug(id: "F267"), arguments: Self.grays, [false, true])
    func `the alpha of a gray TIFF with 16 bits is read`(_ gray: Gray, _ isTiled: Bool) async throws {
        for isBigEndian in [false, true] {
            let file = PlainTIFF(
                width: 3,
                height: 2,
                bits: 16,
                samplesPerPixel: 2,
                photometric: gray.photometric,
                extraSamples: [gray.extraSamples],
                isBigEndian: isBigEndian,
                isTiled: isTiled
            )
            let samples = zip([100, 50, 0, 1, 3, 90], Self.alphas).flatMap { [$0.0 * 257, Int($0.1) * 257] }
            let image = try Image(file.make(samples))
            #expect(image.header.hasAlpha)
            #expect(image.header.bitsPerComponent == 16)
            let expected = zip(gray.expected, Self.alphas).flatMap { [$0.0, $0.0, $0.0, $0.1] }
            #expect(try await image.pixels(layout: .rgba).bytes == expected)
        }
    }
}
