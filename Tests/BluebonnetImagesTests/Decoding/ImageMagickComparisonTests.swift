// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import TestSupport
import Testing

/// A file that ImageMagick makes, and how far our pixels may be from its own.
struct ComparedFile: Sendable, CustomTestStringConvertible {
    var name: String
    var format: String
    var arguments: [String]
    var tolerance = 0
    var colorSpace = ImageColorSpace.rgb
    var bits = 8
    var hasAlpha = false
    var testDescription: String { self.name }

    static let photo = ImageMagick.photo
    static let transparent = ImageMagick.transparent

    static let all: [ComparedFile] = [
        Self(name: "PNG, RGB", format: "png24", arguments: photo),
        Self(name: "PNG, RGBA", format: "png32", arguments: transparent, hasAlpha: true),
        Self(name: "PNG, palette", format: "png8", arguments: photo + ["-colors", "200"]),
        Self(name: "PNG, 2 colors", format: "png", arguments: photo + ["-monochrome"], colorSpace: .gray, bits: 1),
        Self(name: "PNG, gray", format: "png", arguments: photo + ["-colorspace", "Gray"], colorSpace: .gray),
        Self(name: "PNG, 16 bits", format: "png48", arguments: photo + ["-depth", "16"], tolerance: 1, bits: 16),
        Self(name: "PNG, interlaced", format: "png24", arguments: photo + ["-interlace", "PNG"]),
        Self(name: "JPEG, 4:4:4", format: "jpeg", arguments: photo + ["-sampling-factor", "1x1"]),
        Self(name: "JPEG, 4:2:0", format: "jpeg", arguments: photo + ["-sampling-factor", "2x2", "-quality", "75"]),
        Self(name: "JPEG, progressive", format: "jpeg", arguments: photo + ["-interlace", "JPEG"]),
        Self(name: "JPEG, gray", format: "jpeg", arguments: photo + ["-colorspace", "Gray"], colorSpace: .gray),
        Self(
            name: "JPEG, CMYK",
            format: "jpeg",
            arguments: photo + ["-colorspace", "CMYK"],
            tolerance: 1,
            colorSpace: .cmyk
        ),
        Self(name: "GIF", format: "gif", arguments: photo),
        Self(name: "GIF, interlaced", format: "gif", arguments: photo + ["-interlace", "GIF"]),
        Self(name: "GIF, transparent", format: "gif", arguments: transparent, hasAlpha: true),
        Self(name: "GIF, 2 colors", format: "gif", arguments: photo + ["-monochrome"]),
        Self(name: "TIFF", format: "tiff", arguments: photo + ["-compress", "None"]),
        Self(name: "TIFF, LZW", format: "tiff", arguments: photo + ["-compress", "LZW"]),
        Self(name: "TIFF, ZIP, RGBA", format: "tiff", arguments: transparent + ["-compress", "Zip"], hasAlpha: true),
        Self(name: "TIFF, strips of 5 rows", format: "tiff", arguments: photo + ["-define", "tiff:rows-per-strip=5"]),
        Self(name: "TIFF, tiles", format: "ptif", arguments: photo + ["-define", "tiff:tile-geometry=32x16"]),
        Self(name: "TIFF, JPEG", format: "tiff", arguments: photo + ["-compress", "JPEG"], tolerance: 3),
        Self(name: "TIFF, big-endian", format: "tiff", arguments: photo + ["-endian", "MSB"]),
        Self(name: "TIFF, 16 bits", format: "tiff", arguments: photo + ["-depth", "16"], tolerance: 1, bits: 16),
        Self(
            name: "TIFF, fax",
            format: "tiff",
            arguments: photo + ["-monochrome", "-compress", "Group4"],
            colorSpace: .gray,
            bits: 1
        ),
        Self(
            name: "TIFF, CMYK",
            format: "tiff",
            arguments: photo + ["-colorspace", "CMYK"],
            tolerance: 2,
            colorSpace: .cmyk
        ),
        Self(name: "BMP, 24 bits", format: "bmp3", arguments: photo),
        Self(name: "BMP, version 2", format: "bmp2", arguments: photo),
        Self(name: "BMP, version 4", format: "bmp", arguments: photo),
        Self(name: "BMP, 8 bits", format: "bmp3", arguments: photo + ["-colors", "200", "-type", "Palette"]),
        Self(name: "BMP, 4 bits", format: "bmp3", arguments: photo + ["-colors", "9", "-type", "Palette"]),
        Self(name: "BMP, 1 bit", format: "bmp3", arguments: photo + ["-monochrome"]),
        Self(
            name: "BMP, runs",
            format: "bmp3",
            arguments: photo + ["-colors", "20", "-type", "Palette", "-compress", "RLE"]
        ),
        Self(name: "BMP, 16 bits", format: "bmp", arguments: photo + ["-define", "bmp:subtype=RGB565"], tolerance: 1),
        Self(name: "BMP, RGBA", format: "bmp", arguments: transparent, hasAlpha: true),
        Self(name: "ICO", format: "ico", arguments: photo, hasAlpha: true),
        Self(name: "ICO, RGBA", format: "ico", arguments: transparent, hasAlpha: true),
        Self(name: "ICO, palette", format: "ico", arguments: photo + ["-colors", "14"], hasAlpha: true),
        Self(
            name: "ICO with a PNG",
            format: "ico",
            arguments: ["-size", "256x256", "plasma:red-blue", "-depth", "8"],
            hasAlpha: false
        ),
        Self(name: "XBM", format: "xbm", arguments: photo + ["-monochrome"], colorSpace: .gray, bits: 1),
        Self(name: "WebP", format: "webp", arguments: photo),
        Self(name: "WebP, lossless", format: "webp", arguments: photo + ["-define", "webp:lossless=true"]),
        Self(name: "WebP, RGBA", format: "webp", arguments: transparent, hasAlpha: true),
        // ImageMagick widens the chroma of these by itself, a little differently.
        Self(name: "HEIC", format: "heic", arguments: photo, tolerance: 8),
        Self(name: "AVIF", format: "avif", arguments: photo, tolerance: 8),
    ]

    func make() throws -> Data { try ImageMagick.make(self.arguments, as: self.format) }

    /// The name by which ImageMagick reads what it wrote.
    var readFormat: String {
        self.format.hasPrefix("png")
            ? "png" : self.format.hasPrefix("bmp") ? "bmp" : self.format == "ptif" ? "tiff" : self.format
    }
}

/// The largest difference between two pictures; the colour of what cannot be seen does not count.
func largestDifference(_ ours: [UInt8], _ theirs: [UInt8]) -> Int {
    guard ours.count == theirs.count else { return .max }
    var largest = 0
    for pixel in stride(from: 0, to: ours.count, by: 4) {
        let isInvisible = ours[pixel + 3] == 0 && theirs[pixel + 3] == 0
        for component in 0..<4 where !isInvisible {
            largest = max(largest, abs(Int(ours[pixel + component]) - Int(theirs[pixel + component])))
        }
    }
    return largest
}

@Suite(.timeLimit(.minutes(5))) struct ImageMagickComparisonTests {
    @Test(arguments: ComparedFile.all)
    func `the pixels of a file are those that ImageMagick reads`(_ file: ComparedFile) async throws {
        let data = try file.make()
        let image = try Image(data)
        let expected = try ImageMagick.pixels(of: data, file.readFormat, of: "[0]")
        let pixels = try await image.pixels(layout: .rgba)
        #expect(largestDifference(pixels.bytes, expected) <= file.tolerance)
        #expect(pixels.bytes.count == image.width * image.height * 4)
        #expect(image.colorSpace == file.colorSpace)
        #expect(image.header.bitsPerComponent == file.bits)
        #expect(image.header.hasAlpha == file.hasAlpha)
        #expect(image.frames == [ImageFrame()])
        #expect(!image.isAnimated)
    }

    @Test(arguments: ComparedFile.all)
    func `a file cut at any place is a picture or an error, and is soon done`(_ file: ComparedFile) async throws {
        let data = try file.make()
        let step = max(data.count / 60, 1)
        for count in stride(from: 0, to: data.count, by: step) {
            do {
                _ = try await Image(data.prefix(count)).pixels()
            } catch let error as ImageError {
                #expect(error.code == .malformed || error.code == .unsupported, "\(count) of \(data.count): \(error)")
            }
        }
    }

    @Test(arguments: ComparedFile.all)
    func `a file with a wrong byte is a picture or an error`(_ file: ComparedFile) async throws {
        let data = try file.make()
        let step = max(data.count / 60, 1)
        for place in stride(from: 0, to: data.count, by: step) {
            var damaged = data
            damaged[place] ^= 0xFF
            do {
                let image = try Image(damaged, limits: ImageLimits(pixelCount: 1_000_000))
                _ = try await image.pixels()
                _ = try await image.thumbnail(longestSide: 20)
            } catch is ImageError {}
        }
    }

    @Test(arguments: ["gif", "webp"])
    func `the frames of an animation are those that ImageMagick draws`(_ format: String) async throws {
        let options = format == "webp" ? ["-define", "webp:lossless=true"] : ["-loop", "3"]
        // The first frame stays: what is below it is a color in ImageMagick, and nothing in browsers and here.
        for dispose in format == "gif" ? ["None", "Background", "Previous"] : ["None"] {
            let data = try ImageMagick.make(
                ["-delay", "7"] + ImageMagick.photo + [
                    "(", "-clone", "0", "-rotate", "180", "-set", "dispose", dispose, ")",
                    "(", "-clone", "0", "-crop", "20x20+7+9", "-set", "dispose", dispose, ")",
                ] + options,
                as: format
            )
            let image = try Image(data)
            #expect(image.isAnimated)
            #expect(image.frames == Array(repeating: ImageFrame(duration: .milliseconds(70)), count: 3))
            if format == "gif" { #expect(image.header.loopCount == 3) }
            let all = try await image.pixels(frames: 0..<3, layout: .rgba)
            #expect(all.count == 3)
            for frame in 0..<3 {
                let expected = try ImageMagick.pixels(of: data, format, [String].frame(frame))
                #expect(largestDifference(all[frame].bytes, expected) == 0, "\(dispose), frame \(frame)")
                #expect(try await image.pixels(frame: frame, layout: .rgba) == all[frame])
            }
            await #expect(throws: ImageError(.noSuchFrame, reason: "")) { try await image.pixels(frame: 3) }
        }
    }
}

extension [String] {
    /// Keeps one frame of three.
    fileprivate static func frame(_ frame: Int) -> [String] {
        ["-coalesce", "-delete", ["1,2", "0,2", "0,1"][frame]]
    }
}
