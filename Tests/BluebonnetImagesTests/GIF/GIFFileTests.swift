// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

/// Transparency of files that are written byte by byte, because encoders avoid these combinations.
@Suite(.timeLimit(.minutes(1))) struct GIFFileTests {
    /// A frame at the left of the only row.
    private struct Frame {
        var disposal: UInt8 = 0
        var indices: [Int]
    }

    /// What is done with the first frame, and with the second of three.
    struct Disposals: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var first: UInt8
        var second: UInt8
        var hasAlpha: Bool
        /// The second pixel of the second frame and of the third.
        var pixels: [[UInt8]]
    }

    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let black: [UInt8] = [0, 0, 0, 255]
    private static let nothing: [UInt8] = [0, 0, 0, 0]

    /// Writes a file with one row of pixels and a palette of red and blue.
    private static func file(width: UInt8, _ frames: [Frame]) -> Data {
        var bytes = Array("GIF89a".utf8) + [width, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
        for frame in frames {
            bytes += [0x21, 0xF9, 4, frame.disposal << 2, 7, 0, 0, 0]
            bytes += [0x2C, 0, 0, 0, 0, UInt8(frame.indices.count), 0, 1, 0, 0]
            let data = Self.codes(frame.indices)
            bytes += [2, UInt8(data.count)] + data + [0]
        }
        return Data(bytes + [0x3B])
    }

    /// Returns codes of three bits: before each pixel the table is cleared, so that the codes do not grow.
    private static func codes(_ indices: [Int]) -> [UInt8] {
        let codes = indices.flatMap { [4, $0] } + [5]
        var bytes = [UInt8](repeating: 0, count: (codes.count * 3 + 7) / 8)
        for (place, code) in codes.enumerated() {
            for bit in 0..<3 where code >> bit & 1 == 1 {
                bytes[(place * 3 + bit) / 8] |= 1 << UInt8((place * 3 + bit) % 8)
            }
        }
        return bytes
    }

    @Test(
        .bug(id: "F235"),
        arguments: [
            Disposals(testDescription: "none", first: 0, second: 0, hasAlpha: false, pixels: [Self.red, Self.red]),
            Disposals(testDescription: "keep", first: 1, second: 1, hasAlpha: false, pixels: [Self.red, Self.red]),
            Disposals(
                testDescription: "restore the second",
                first: 1,
                second: 3,
                hasAlpha: false,
                pixels: [Self.red, Self.red]
            ),
            Disposals(
                testDescription: "restore the first",
                first: 3,
                second: 1,
                hasAlpha: true,
                pixels: [Self.nothing, Self.nothing]
            ),
            Disposals(
                testDescription: "clear the first",
                first: 2,
                second: 1,
                hasAlpha: true,
                pixels: [Self.nothing, Self.nothing]
            ),
        ]
    )
    func `an animation has transparency if its first frame is removed from the screen`(
        _ example: Disposals
    ) async throws {
        let frames = [
            Frame(disposal: example.first, indices: [0, 0]), Frame(disposal: example.second, indices: [1]),
            Frame(indices: [0]),
        ]
        let image = try Image(Self.file(width: 2, frames))
        #expect(image.header.hasAlpha == example.hasAlpha)
        let pixels = try await image.pixels(frames: 0..<3, layout: .rgba)
        #expect(pixels[0].bytes == Self.red + Self.red)
        #expect(pixels[1].bytes == Self.blue + example.pixels[0])
        #expect(pixels[2].bytes == Self.red + example.pixels[1])
    }

    @Test(.bug(id: "F481")) func `a frame of one pixel that is removed again copies no whole screen`() async throws {
        // A screen of 120,000,000 bytes: copying it for each frame takes longer than the limit
        // of this suite. Each frame is a pixel in its corner.
        var bytes = Self.file(width: 2, Array(repeating: Frame(disposal: 3, indices: [1]), count: 4_000))
        bytes.replaceSubrange(6..<10, with: [0x70, 0x17, 0x88, 0x13])
        let image = try Image(bytes, limits: ImageLimits(keptByteCount: 0))
        #expect((image.width, image.height) == (6_000, 5_000))
        let small = try await image.pixels(frame: 3_999, layout: .rgba)
        #expect(Array(small.bytes.prefix(8)) == Self.blue + Self.nothing)
    }

    @Test(.bug(id: "F481")) func `what a frame has covered comes back when it is removed`() async throws {
        let frames = [
            Frame(disposal: 1, indices: [0, 1, 0]), Frame(disposal: 3, indices: [1, 0, 0, 1]), Frame(indices: [1]),
        ]
        let image = try Image(Self.file(width: 3, frames))
        let pixels = try await image.pixels(frames: 0..<3, layout: .rgba)
        #expect(pixels[1].bytes == Self.blue + Self.red + Self.red)
        #expect(pixels[2].bytes == Self.blue + Self.blue + Self.red)
    }

    @Test(.bug(id: "F235")) func `the only frame of a file leaves no transparency, whatever is done with it`() throws {
        let image = try Image(Self.file(width: 2, [Frame(disposal: 3, indices: [0, 1])]))
        #expect(!image.header.hasAlpha)
    }

    @Test(.bug(id: "F235")) func `a color beyond the palette is opaque black`() async throws {
        let image = try Image(Self.file(width: 4, [Frame(indices: [0, 1, 2, 3])]))
        #expect(!image.header.hasAlpha)
        #expect(try await image.pixels(layout: .rgba).bytes == Self.red + Self.blue + Self.black + Self.black)
    }

    /// Bytes that do not belong there, and whether a picture is left.
    struct Junk: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The place: before the first frame, between both, or in place of the trailer.
        var place: Int
        var bytes: [UInt8]
        var frameCount: Int?
    }

    @Test(
        .bug(id: "F583"),
        arguments: [
            Junk(testDescription: "padding before the first frame", place: 0, bytes: [0, 0], frameCount: 2),
            Junk(testDescription: "padding between frames", place: 1, bytes: [0], frameCount: 2),
            Junk(testDescription: "padding at the end", place: 2, bytes: [0, 0, 0], frameCount: 2),
            Junk(testDescription: "junk between frames", place: 1, bytes: [0x55], frameCount: 1),
            Junk(testDescription: "junk at the end", place: 2, bytes: [0x55, 0x2C, 0x21], frameCount: 2),
            Junk(testDescription: "junk before the first frame", place: 0, bytes: [0x55], frameCount: nil),
        ]
    )
    func `padding between blocks is skipped, and other bytes end an animation`(_ junk: Junk) async throws {
        let frames = [Frame(indices: [0, 1]), Frame(indices: [1, 0])]
        var bytes = Self.file(width: 2, frames)
        bytes.removeLast()
        let frameByteCount = (bytes.count - 19) / 2
        bytes.insert(contentsOf: junk.bytes, at: 19 + junk.place * frameByteCount)
        guard let count = junk.frameCount else {
            #expect(throws: ImageError(.malformed, reason: "")) { try Image(bytes) }
            return
        }
        let image = try Image(bytes)
        #expect(image.frames.count == count)
        let pixels = try await image.pixels(frames: 0..<count, layout: .rgba)
        let expected: [[UInt8]] = [Self.red + Self.blue, Self.blue + Self.red]
        #expect(pixels.map(\.bytes) == Array(expected.prefix(count)))
    }

    @Test(.bug(id: "F583"), arguments: [[0, 0, 0, 0], [0, 0, 1, 0], [1, 0, 1, 0], [2, 0, 0, 0]] as [[UInt8]])
    func `a screen that is smaller than the first frame gets its size`(_ screen: [UInt8]) async throws {
        var bytes = Self.file(width: 2, [Frame(indices: [0, 1]), Frame(indices: [1])])
        bytes.replaceSubrange(6..<10, with: screen)
        let image = try Image(bytes)
        #expect((image.width, image.height) == (2, 1) && !image.header.hasAlpha)
        let pixels = try await image.pixels(frames: 0..<2, layout: .rgba)
        let expected: [[UInt8]] = [Self.red + Self.blue, Self.blue + Self.blue]
        #expect(pixels.map(\.bytes) == expected)
    }

    @Test(.bug(id: "F583")) func `a first frame that replaces the screen counts against the limit of pixels`() {
        var bytes = Self.file(width: 2, [Frame(indices: [0, 1])])
        bytes.replaceSubrange(6..<10, with: [0, 0, 0, 0])
        #expect(throws: ImageError(.limitExceeded, reason: "")) { try Image(bytes, limits: ImageLimits(pixelCount: 1)) }
    }
}
