// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

/// Pixels with several samples, or with samples of 16 bits, wherever they are in the file.
@Suite(.timeLimit(.minutes(1))) struct TIFFSampleTests {
    /// A kind of pixel.
    struct Kind: Sendable, CustomTestStringConvertible {
        var photometric: Int
        var bits = 8
        var extraSamples: [Int] = []

        var testDescription: String {
            let names = [0: "white is zero", 1: "black is zero", 2: "RGB", 3: "palette", 5: "CMYK"]
            return "\(names[self.photometric] ?? "") \(self.bits) \(self.extraSamples)"
        }

        var colorCount: Int { self.photometric == 2 ? 3 : self.photometric == 5 ? 4 : 1 }
        var sampleCount: Int { self.colorCount + self.extraSamples.count }
        var hasAlpha: Bool { (self.extraSamples.first ?? 0) != 0 }
    }

    private static let size = (width: 21, height: 18)

    /// Red, green and blue of each index.
    private static let palette = [
        (0..<256).map { $0 * 257 }, (0..<256).map { (255 - $0) * 257 }, (0..<256).map { $0 * 7 % 256 * 257 },
    ]

    /// No extra sample; an unspecified one; premultiplied and straight alpha, alone and before an unspecified one.
    private static let extraSamples = [[], [0], [1], [2], [1, 0], [2, 0]]

    private static let contiguous = [(0, 8), (0, 16), (1, 8), (1, 16), (2, 8), (2, 16), (3, 8), (5, 8)].flatMap {
        kind in
        Self.extraSamples.map { Kind(photometric: kind.0, bits: kind.1, extraSamples: $0) }
    }

    private static let planar = [(0, 8), (0, 16), (1, 8), (1, 16), (2, 8), (2, 16)].flatMap { kind in
        Self.extraSamples.map { Kind(photometric: kind.0, bits: kind.1, extraSamples: $0) }
    }

    /// Returns the samples of all pixels, from 0 to 255.
    private static func samples(_ kind: Kind) -> [Int] {
        (0..<Self.size.height).flatMap { row in
            (0..<Self.size.width).flatMap { column in
                (0..<kind.sampleCount).map { (column * 7 + row * 13 + $0 * 50) % 256 }
            }
        }
    }

    private static func straight(_ value: Int, _ alpha: Int) -> Int {
        alpha == 0 ? value : min((value * 255 + alpha / 2) / alpha, 255)
    }

    /// Returns the RGBA of a pixel with straight alpha.
    private static func color(_ kind: Kind, _ samples: ArraySlice<Int>) -> [UInt8] {
        let samples = Array(samples)
        let alpha = kind.hasAlpha ? samples[kind.colorCount] : 255
        let isPremultiplied = kind.hasAlpha && kind.extraSamples[0] == 1
        var colors: [Int]
        switch kind.photometric {
        case 0: colors = Array(repeating: 255 - samples[0], count: 3)
        case 1: colors = Array(repeating: samples[0], count: 3)
        case 3: colors = Self.palette.map { $0[samples[0]] / 257 }
        case 5:
            // The inks are premultiplied, not the light.
            let inks = samples[0..<4].map { isPremultiplied ? Self.straight($0, alpha) : $0 }
            colors = (0..<3).map { (255 - inks[3]) * (255 - inks[$0]) / 255 }
        default: colors = Array(samples[0..<3])
        }
        if isPremultiplied, kind.photometric != 5 { colors = colors.map { Self.straight($0, alpha) } }
        return (colors + [alpha]).map { UInt8($0) }
    }

    private func check(_ kind: Kind, isTiled: Bool, isPlanar: Bool) async throws {
        let samples = Self.samples(kind)
        let expected = stride(from: 0, to: samples.count, by: kind.sampleCount).flatMap {
            Self.color(kind, samples[$0..<$0 + kind.sampleCount])
        }
        for isBigEndian in [false, true] {
            let file = PlainTIFF(
                width: Self.size.width,
                height: Self.size.height,
                bits: kind.bits,
                samplesPerPixel: kind.sampleCount,
                photometric: kind.photometric,
                extraSamples: kind.extraSamples,
                palette: kind.photometric == 3 ? Array(Self.palette.joined()) : [],
                isBigEndian: isBigEndian,
                isTiled: isTiled,
                isPlanar: isPlanar
            )
            let image = try Image(file.make(kind.bits == 16 ? samples.map { $0 * 257 } : samples))
            #expect(image.header.hasAlpha == kind.hasAlpha)
            let pixels = try await image.pixels(layout: .rgba).bytes
            #expect(pixels.count == expected.count)
            let place = zip(pixels, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            #expect(
                place == nil,
                "first in column \((place ?? 0) / 4 % Self.size.width) of row \((place ?? 0) / 4 / Self.size.width)"
            )
        }
    }

    @Test(.bug(id: "F343"), arguments: Self.contiguous, [false, true])
    func `samples that are together are read from strips and tiles`(_ kind: Kind, _ isTiled: Bool) async throws {
        try await self.check(kind, isTiled: isTiled, isPlanar: false)
    }

    @Test(.bug(id: "F343"), arguments: Self.planar, [false, true])
    func `samples that are in planes are read from strips and tiles`(_ kind: Kind, _ isTiled: Bool) async throws {
        try await self.check(kind, isTiled: isTiled, isPlanar: true)
    }

    @Test(.bug(id: "F343"), arguments: [0, 1], [false, true])
    func `gray of 16 bits is rounded to 8`(_ photometric: Int, _ isTiled: Bool) async throws {
        let file = PlainTIFF(width: 6, bits: 16, samplesPerPixel: 1, photometric: photometric, isTiled: isTiled)
        let pixels = try await Image(file.make([0, 128, 129, 255, 65_406, 65_407])).pixels(layout: .rgba)
        let grays = stride(from: 0, to: pixels.bytes.count, by: 4).map { pixels.bytes[$0] }
        #expect(grays == (photometric == 0 ? [255, 255, 254, 254, 1, 0] : [0, 0, 1, 1, 254, 255]))
    }

    @Test(.bug(id: "F343"), arguments: [false, true])
    func `an ink that is declared as alpha is an ink`(_ isTiled: Bool) async throws {
        let file = PlainTIFF(width: 2, samplesPerPixel: 4, photometric: 5, extraSamples: [1], isTiled: isTiled)
        let image = try Image(file.make([0, 0, 0, 155, 255, 0, 0, 0]))
        #expect(!image.header.hasAlpha)
        #expect(try await image.pixels(layout: .rgba).bytes == [100, 100, 100, 255, 0, 255, 255, 255])
    }
}
