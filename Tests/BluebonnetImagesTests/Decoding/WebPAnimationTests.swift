// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

/// Transparency of animations, whose frames may leave parts of the canvas uncovered.
@Suite(.timeLimit(.minutes(1))) struct WebPAnimationTests {
    typealias Frame = PlainWebP.Frame

    struct Animation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// On a canvas of 8 × 4 pixels.
        var frames: [Frame]
        var hasAlpha: Bool
    }

    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let green: [UInt8] = [0, 255, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]
    private static let whole = Frame(width: 8, height: 4, color: Self.red)
    private static let part = Frame(x: 2, y: 2, width: 2, height: 2, color: Self.green)
    private static let larger = Frame(x: 0, y: 2, width: 4, height: 2, color: Self.blue)

    private static func disposed(_ frame: Frame) -> Frame {
        var frame = frame
        frame.isDisposed = true
        return frame
    }

    static let animations = [
        Animation(testDescription: "all covered", frames: [Self.whole, Self.part, Self.larger], hasAlpha: false),
        Animation(
            testDescription: "too narrow",
            frames: [Frame(width: 7, height: 4, color: Self.red), Self.whole],
            hasAlpha: true
        ),
        Animation(
            testDescription: "too low",
            frames: [Frame(width: 8, height: 3, color: Self.red), Self.whole],
            hasAlpha: true
        ),
        Animation(
            testDescription: "begins too far right",
            frames: [Frame(x: 2, width: 6, height: 4, color: Self.red), Self.whole],
            hasAlpha: true
        ),
        Animation(
            testDescription: "begins too far down",
            frames: [Frame(y: 2, width: 8, height: 2, color: Self.red), Self.whole],
            hasAlpha: true
        ),
        Animation(
            testDescription: "two corners",
            frames: [
                Self.disposed(Frame(width: 4, height: 2, color: Self.red)),
                Self.disposed(Frame(x: 4, y: 2, width: 4, height: 2, color: Self.green)),
            ],
            hasAlpha: true
        ),
        Animation(testDescription: "only one, in part", frames: [Self.part], hasAlpha: true),
        Animation(testDescription: "only one, disposed", frames: [Self.disposed(Self.whole)], hasAlpha: false),
        Animation(
            testDescription: "disposed, and covered again",
            frames: [Self.disposed(Self.whole), Self.disposed(Self.whole), Self.part],
            hasAlpha: true
        ),
        Animation(
            testDescription: "a part disposed, and covered again",
            frames: [Self.whole, Self.disposed(Self.part), Self.larger],
            hasAlpha: false
        ),
        Animation(
            testDescription: "a part disposed, and covered in part",
            frames: [Self.whole, Self.disposed(Self.larger), Self.part],
            hasAlpha: true
        ),
        Animation(
            testDescription: "a part disposed, and covered later",
            frames: [
                Self.whole, Self.disposed(Self.larger), Frame(x: 6, width: 2, height: 2, color: Self.blue), Self.whole,
            ],
            hasAlpha: true
        ),
        Animation(
            testDescription: "the last disposed",
            frames: [Self.whole, Self.part, Self.disposed(Self.larger)],
            hasAlpha: false
        ),
        Animation(
            testDescription: "a hole",
            frames: [Self.whole, Frame(x: 2, width: 2, height: 2, color: [0, 0, 0, 0])],
            hasAlpha: true
        ),
    ]

    /// Returns the canvas with each frame, in straight RGBA.
    private static func canvases(_ frames: [Frame]) -> [[UInt8]] {
        var canvas = [UInt8](repeating: 0, count: 8 * 4 * 4)
        func fill(_ frame: Frame, _ color: [UInt8]) {
            for row in frame.y..<frame.y + frame.height {
                for column in frame.x..<frame.x + frame.width {
                    canvas.replaceSubrange((row * 8 + column) * 4..<(row * 8 + column) * 4 + 4, with: color)
                }
            }
        }
        return frames.map { frame in
            fill(frame, frame.color)
            defer { if frame.isDisposed { fill(frame, [0, 0, 0, 0]) } }
            return canvas
        }
    }

    @Test(.bug(id: "F344"), arguments: Self.animations)
    func `an animation has transparency if a part of its canvas is not covered`(_ example: Animation) async throws {
        let image = try Image(PlainWebP(width: 8, height: 4).make(example.frames))
        #expect(image.frames.count == example.frames.count)
        #expect(image.header.hasAlpha == example.hasAlpha)
        let expected = Self.canvases(example.frames)
        let pixels = try await image.pixels(frames: 0..<expected.count, layout: .rgba)
        #expect(pixels.map(\.bytes) == expected)
        // Every pixel is opaque or empty, so that premultiplication changes none.
        let natural = try await image.pixels(frames: 0..<expected.count)
        let alphaFirst = expected.map { canvas in
            stride(from: 0, to: canvas.count, by: 4).flatMap { [canvas[$0 + 3]] + canvas[$0..<$0 + 3] }
        }
        #expect(natural.map(\.bytes) == alphaFirst)
    }

    @Test(.bug(id: "F584")) func `the memory of the library counts against the limit of decoded bytes`() async throws {
        // The canvas, the one before it, and a lossless frame.
        let enough = 3 * 8 * 4 * 4
        let data = PlainWebP(width: 8, height: 4).make([Self.whole, Self.part])
        let limits = ImageLimits(decodedByteCount: enough)
        #expect(try await Image(data, limits: limits).thumbnail(longestSide: 2).width == 2)
        let image = try Image(data, limits: ImageLimits(decodedByteCount: enough - 1))
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.thumbnail(longestSide: 2) }
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.pixels(frame: 1) }
    }

    @Test(.bug(id: "F344")) func `the thumbnail of an animation keeps what is not covered transparent`() async throws {
        let frame = Frame(x: 4, width: 4, height: 4, color: Self.red)
        let image = try Image(PlainWebP(width: 8, height: 4).make([frame, Self.whole]))
        let small = try await image.thumbnail(longestSide: 2)
        #expect(try await small.pixels(layout: .rgba).bytes == [0, 0, 0, 0] + Self.red)
    }

    @Test func `transparency that is blended over a color leaves it`() async throws {
        var hole = Frame(x: 2, width: 2, height: 2, color: [0, 0, 0, 0])
        hole.isBlended = true
        let image = try Image(PlainWebP(width: 8, height: 4, declaresAlpha: true).make([Self.whole, hole]))
        #expect(image.header.hasAlpha)
        let whole = Self.canvases([Self.whole])[0]
        #expect(try await image.pixels(frames: 0..<2, layout: .rgba).map(\.bytes) == [whole, whole])
    }
}
