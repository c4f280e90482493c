// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BluebonnetImages

/// Counts what runs.
private final class Counter: Sendable {
    private let state = Mutex((now: 0, most: 0, done: 0))

    var counts: (now: Int, most: Int, done: Int) { self.state.withLock { $0 } }

    func begin() { self.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.done) } }

    func end() { self.state.withLock { $0 = ($0.now - 1, $0.most, $0.done + 1) } }
}

@Suite(.timeLimit(.minutes(2))) struct ImageTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func `an orientation is kept, and applied on request`(_ number: Int) async throws {
        let names = [
            "TopLeft", "TopRight", "BottomRight", "BottomLeft", "LeftTop", "RightTop", "RightBottom", "LeftBottom",
        ]
        let data = try ImageMagick.make(ImageMagick.photo + ["-orient", names[number - 1]], as: "tiff")
        let image = try Image(data, scale: 2)
        #expect(image.orientation.rawValue == number)
        #expect((image.width, image.height) == (61, 47))
        #expect(image.size == (number > 4 ? (23.5, 30.5) : (30.5, 23.5)))
        let stored = try ImageMagick.pixels(of: data, "tiff")
        #expect(try await image.pixels(layout: .rgba).bytes == stored)
        let upright = try await image.oriented()
        #expect(upright.orientation == .up)
        #expect(upright.size == image.size)
        let expected = try ImageMagick.pixels(of: data, "tiff", ["-auto-orient"])
        #expect(try await upright.pixels(layout: .rgba).bytes == expected)
        #expect(try await image.thumbnail(longestSide: 20).orientation == image.orientation)
    }

    /// A directory with one entry, big-endian: Orientation is 6.
    private static let exif: [UInt8] = [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
    ]

    @Test func `an orientation is found in the EXIF of JPEG, PNG and WebP`() throws {
        var jpeg = [UInt8](try ImageMagick.make(ImageMagick.photo, as: "jpeg"))
        let segment = Array("Exif\0\0".utf8) + Self.exif
        jpeg.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment, at: 2)
        #expect(try Image(Data(jpeg)).orientation == .right)
        var png = [UInt8](try ImageMagick.make(ImageMagick.photo, as: "png24"))
        // The checksum of a chunk that is not decoded does not count.
        png.insert(
            contentsOf: [0, 0, 0, UInt8(Self.exif.count)] + Array("eXIf".utf8) + Self.exif + [0, 0, 0, 0],
            at: 33
        )
        #expect(try Image(Data(png)).orientation == .right)
        let simple = [UInt8](try ImageMagick.make(ImageMagick.photo + ["-define", "webp:lossless=true"], as: "webp"))
        var extended =
            Array("RIFF\0\0\0\0WEBPVP8X".utf8) + [10, 0, 0, 0, 8, 0, 0, 0, 60, 0, 0, 46, 0, 0] + simple[12...]
        extended += Array("EXIF".utf8) + [UInt8(Self.exif.count), 0, 0, 0] + Self.exif
        let size = extended.count - 8
        extended.replaceSubrange(4..<8, with: [UInt8(size & 255), UInt8(size >> 8 & 255), UInt8(size >> 16), 0])
        #expect(try Image(Data(extended)).orientation == .right)
        #expect(try Image(Data(simple)).orientation == .up)
    }

    @Test(arguments: ["png24", "jpeg", "gif", "bmp3", "tiff", "webp", "heic", "avif"], [8, 17, 60, 100])
    func `a thumbnail fits into the size, and looks like ImageMagick's`(_ format: String, _ side: Int) async throws {
        let data = try ImageMagick.make(
            ["-size", "240x160", "-seed", "3", "plasma:red-blue", "-depth", "8"],
            as: format
        )
        let small = try await Image(data).thumbnail(longestSide: side)
        #expect((small.width, small.height) == (side, (side * 2 + 1) / 3))
        let name = format == "png24" ? "png" : format == "bmp3" ? "bmp" : format
        let expected = try ImageMagick.pixels(
            of: data,
            name,
            ["-filter", "box", "-resize", "\(small.width)x\(small.height)!"]
        )
        let pixels = try await small.pixels(layout: .rgba)
        #expect(pixels.bytes.count == expected.count)
        let sum = zip(pixels.bytes, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(sum <= 4 * expected.count, "on average \(Double(sum) / Double(expected.count))")
    }

    @Test func `a thumbnail is never larger than the picture, and transparent colors do not show in it`() async throws {
        let bytes: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0]
        let image = Image(pixels: try ImagePixels(width: 2, height: 1, bytes: bytes))
        #expect(try await image.thumbnail(longestSide: 100).width == 2)
        #expect(try await image.thumbnail(longestSide: 1).pixels(layout: .rgba).bytes == [255, 0, 0, 128])
        #expect(try await image.thumbnail(longestSide: -5).width == 1)
    }

    @Test(arguments: [nil, 20])
    func `the tiles of a TIFF are put together`(_ side: Int?) async throws {
        let stored = try ImageMagick.make(ImageMagick.photo, as: "tiff")
        let pixels = try ImageMagick.pixels(of: stored, "tiff")
        let image = try Image(TiledTIFF.make(pixels, width: 61, height: 47, tile: (32, 16)))
        #expect((image.width, image.height) == (61, 47))
        guard let side else {
            #expect(try await image.pixels(layout: .rgba).bytes == pixels)
            return
        }
        let expected = try await Image(stored).thumbnail(longestSide: side).pixels()
        #expect(try await image.thumbnail(longestSide: side).pixels() == expected)
    }

    @Test func `pixels have the layout that was asked for, and else the one of inflation`() async throws {
        let straight = Image(pixels: try ImagePixels(width: 1, height: 1, bytes: [200, 100, 0, 128]))
        #expect(try await straight.pixels().layout == .premultipliedFirst)
        #expect(try await straight.pixels().bytes == [128, 100, 50, 0])
        #expect(try await straight.pixels(layout: .rgba).bytes == [200, 100, 0, 128])
        #expect(try await straight.pixels(layout: .skipFirst).bytes == [255, 200, 100, 0])
        let opaque = Image(pixels: try ImagePixels(width: 1, height: 1, layout: .skipFirst, bytes: [255, 1, 2, 3]))
        #expect(try await opaque.pixels().bytes == [255, 1, 2, 3])
        #expect(try await opaque.pixels(layout: .rgba).bytes == [1, 2, 3, 255])
        #expect(throws: ImageError(.malformed, reason: "")) {
            try ImagePixels(width: 2, height: 1, bytes: [0, 0, 0, 0])
        }
        #expect(throws: ImageError(.malformed, reason: "")) {
            try ImagePixels(width: -1, height: -1, bytes: [0, 0, 0, 0])
        }
        #expect(throws: ImageError(.malformed, reason: "")) { try ImagePixels(width: .max, height: 2, bytes: []) }
    }

    @Test func `pixels are decoded once, and straight alpha is decoded again`() async throws {
        let decoder = StubImageDecoder { format in ImageHeader(format: format, width: 4, height: 4, hasAlpha: true) }
        let image = try Image(Data([1]), decoder: decoder)
        #expect(!image.isInflated)
        async let first = image.pixels()
        async let second = image.pixels()
        #expect(try await first == second)
        #expect(decoder.recorded == ["header png", "pixels png"])
        #expect(image.isInflated)
        _ = try await image.pixels(layout: .rgba)
        #expect(decoder.recorded.count == 3)
    }

    @Test func `pixels beyond the limit are not kept`() async throws {
        let decoder = StubImageDecoder { format in ImageHeader(format: format, width: 4, height: 4) }
        let image = try Image(Data([1]), limits: ImageLimits(keptByteCount: 63), decoder: decoder)
        _ = try await image.pixels()
        _ = try await image.pixels()
        #expect(decoder.recorded == ["header png", "pixels png", "pixels png"])
        #expect(image.largestByteCount == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `cancelling a task ends its decoding`() async throws {
        let decoder = StubImageDecoder(
            work: {
                while !Task.isCancelled {}
                throw CancellationError()
            },
            answer: { ImageHeader(format: $0, width: 4, height: 4) }
        )
        let image = try Image(Data([1]), decoder: decoder)
        let task = Task { try await image.pixels() }
        while decoder.recorded.count < 2 { await Task.yield() }
        let waiting = Task { try await image.pixels() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: ["png24", "jpeg", "tiff", "gif", "bmp3"])
    func `a cancelled task decodes nothing`(_ format: String) async throws {
        let data = try ImageMagick.make(ImageMagick.photo, as: format)
        let image = try Image(data)
        let result = await Task { () -> [ImagePixels]? in
            withUnsafeCurrentTask { $0?.cancel() }
            return try? SystemImageDecoder().pixels(
                of: data,
                header: image.header,
                request: ImageDecodingRequest(),
                limits: ImageLimits()
            )
        }.value
        #expect(result == nil)
    }

    @Test func `no more run at a time than the pool allows, and a cancelled one gives its place up`() async throws {
        let pool = DecodingPool(limit: 2)
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number % 5 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                    try? await pool.run {
                        counter.begin()
                        for _ in 0..<10 { await Task.yield() }
                        counter.end()
                    }
                }
            }
        }
        #expect(counter.counts.now == 0)
        #expect(counter.counts.most <= 2)
        #expect(counter.counts.done == 32)
    }
}
