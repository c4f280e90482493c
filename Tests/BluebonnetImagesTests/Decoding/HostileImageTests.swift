// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import TestSupport
import Testing

/// Files that declare more than they hold, or unpack to more than they are.
@Suite(.timeLimit(.minutes(3))) struct HostileImageTests {
    struct Declared: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
    }

    /// Headers of 65,535 × 65,535 pixels, made by changing those of real files.
    static func declared() throws -> [Declared] {
        let photo = ImageMagick.photo
        var png = [UInt8](try ImageMagick.make(photo, as: "png24"))
        png.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
        png.replaceSubrange(29..<33, with: Self.checksum(png[12..<29]))
        var jpeg = [UInt8](try ImageMagick.make(photo, as: "jpeg"))
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var gif = [UInt8](try ImageMagick.make(photo, as: "gif"))
        gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var bmp = [UInt8](try ImageMagick.make(photo, as: "bmp3"))
        bmp.replaceSubrange(18..<26, with: [0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0])
        var icon = [UInt8](try ImageMagick.make(photo, as: "ico"))
        icon.replaceSubrange(26..<34, with: [0xFF, 0xFF, 0, 0, 0xFE, 0xFF, 1, 0])
        let xbm = Array("#define a_width 65535\n#define a_height 65535\nstatic char a_bits[] = { 0x00 };\n".utf8)
        var tiff = [UInt8](try ImageMagick.make(photo + ["-endian", "LSB"], as: "tiff"))
        let directory = Int(tiff[4]) | Int(tiff[5]) << 8 | Int(tiff[6]) << 16
        for entry in stride(from: directory + 2, to: directory + 2 + 12 * Int(tiff[directory]), by: 12)
        where [0, 1].contains(tiff[entry]) && tiff[entry + 1] == 1 {
            tiff.replaceSubrange(entry + 8..<entry + 10, with: [0xFF, 0xFF])
        }
        return [
            Declared(testDescription: "PNG", bytes: png), Declared(testDescription: "JPEG", bytes: jpeg),
            Declared(testDescription: "GIF", bytes: gif), Declared(testDescription: "BMP", bytes: bmp),
            Declared(testDescription: "ICO", bytes: icon), Declared(testDescription: "XBM", bytes: xbm),
            Declared(testDescription: "TIFF", bytes: tiff),
        ]
    }

    @Test func `a header of 65,535 × 65,535 pixels is refused before memory is taken`() throws {
        let files = try Self.declared()
        let before = ResidentMemory.byteCount()
        for file in files {
            #expect(throws: ImageError(.limitExceeded, reason: ""), "\(file.testDescription)") {
                try Image(Data(file.bytes))
            }
        }
        #expect(ResidentMemory.byteCount() - before < 16 << 20)
    }

    @Test func `a PNG of 57 bytes with rows of 800 megabytes is refused before memory is taken`() throws {
        func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
            let named = Array(type.utf8) + data
            return [0, 0, 0, UInt8(data.count)] + named + Self.checksum(named[...])
        }
        // 100,000,000 pixels of 16 bits RGBA in one row.
        let header = chunk("IHDR", [0x05, 0xF5, 0xE1, 0, 0, 0, 0, 1, 16, 6, 0, 0, 0])
        let bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + header + chunk("IDAT", []) + chunk("IEND", [])
        let growth = ResidentMemory.peakGrowth {
            #expect(throws: ImageError(.limitExceeded, reason: "")) { try Image(Data(bytes)) }
        }
        #expect(growth ?? 0 < 64 << 20)
    }

    @Test(arguments: ["png24", "jpeg", "gif", "bmp3", "tiff", "webp", "avif", "heic"])
    func `a picture with one pixel more than the limit is refused`(_ format: String) throws {
        let data = try ImageMagick.make(["-size", "64x64", "xc:red"], as: format)
        #expect(throws: Never.self) { try Image(data, limits: ImageLimits(pixelCount: 4_096)) }
        #expect(throws: ImageError(.limitExceeded, reason: "")) {
            try Image(data, limits: ImageLimits(pixelCount: 4_095))
        }
        #expect(throws: ImageError(.limitExceeded, reason: "")) {
            try Image(data, limits: ImageLimits(byteCount: data.count - 1))
        }
    }

    @Test(arguments: ["gif", "webp"])
    func `an animation with more frames than the limit is refused`(_ format: String) throws {
        let data = try ImageMagick.make(["-size", "8x8", "xc:red", "xc:blue", "xc:green"], as: format)
        #expect(try Image(data, limits: ImageLimits(frameCount: 3)).frames.count == 3)
        #expect(throws: ImageError(.limitExceeded, reason: "")) { try Image(data, limits: ImageLimits(frameCount: 2)) }
    }

    @Test func `frames beyond the limit of decoded bytes are refused`() async throws {
        let data = try ImageMagick.make(["-size", "16x16", "xc:red", "xc:blue", "xc:green"], as: "gif")
        let image = try Image(data, limits: ImageLimits(decodedByteCount: 2_048))
        #expect(try await image.pixels(frames: 0..<2).count == 2)
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.pixels(frames: 0..<3) }
    }

    /// Strips of 16 bits, whose samples take twice the memory of the pixels.
    ///
    /// libtiff divides a single strip that is neither compressed nor planar into small ones.
    private static func tallStrip(isPlanar: Bool) throws -> Data {
        guard isPlanar else {
            let picture = ["-size", "320x240", "gradient:red-blue", "-type", "TrueColor", "-depth", "16"]
            return try ImageMagick.make(
                picture + ["-compress", "LZW", "-define", "tiff:rows-per-strip=240"],
                as: "tiff"
            )
        }
        return PlainTIFF(width: 320, height: 240, bits: 16, samplesPerPixel: 3, photometric: 2, isPlanar: true)
            .make([Int](repeating: 0x8000, count: 320 * 240 * 3))
    }

    @Test(.bug(id: "F482"), arguments: [false, true])
    func `a TIFF whose strip takes more than the limit of decoded bytes is beyond the limits`(
        _ isPlanar: Bool
    ) async throws {
        let data = try Self.tallStrip(isPlanar: isPlanar)
        let enough = 320 * 240 * 3 * 2
        #expect(try await Image(data, limits: ImageLimits(decodedByteCount: enough)).pixels().width == 320)
        let image = try Image(data, limits: ImageLimits(decodedByteCount: enough - 1))
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.pixels() }
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.thumbnail(longestSide: 4) }
    }

    @Test(.bug(id: "F482")) func `a small TIFF is read under a small limit of decoded bytes`() async throws {
        let data = PlainTIFF(width: 4, height: 4, bits: 16, samplesPerPixel: 3, photometric: 2)
            .make([Int](repeating: 0x8000, count: 48))
        #expect(try await Image(data, limits: ImageLimits(decodedByteCount: 64)).pixels().width == 4)
    }

    @Test func `a small file of 81 million pixels is made a thumbnail in little memory`() async throws {
        let data = try ImageMagick.make(["-size", "9000x9000", "xc:navy", "-depth", "8"], as: "png24")
        #expect(data.count < 1 << 20)
        let image = try Image(data)
        let before = ResidentMemory.byteCount()
        let small = try await image.thumbnail(longestSide: 90)
        #expect(ResidentMemory.byteCount() - before < 32 << 20)
        #expect(try await small.pixels(layout: .rgba).bytes.prefix(4) == [0, 0, 128, 255])
    }

    @Test func `a WebP animation of a single frame is made a thumbnail`() async throws {
        var bytes = [UInt8](try ImageMagick.make(["-size", "9x7", "xc:red", "xc:blue"], as: "webp"))
        let marks = bytes.indices.dropLast(8).filter { bytes[$0..<$0 + 4].elementsEqual("ANMF".utf8) }
        #expect(marks.count == 2)
        bytes.removeSubrange(marks[1]...)
        bytes.replaceSubrange(4..<8, with: [UInt8(bytes.count - 8), 0, 0, 0])
        let image = try Image(Data(bytes))
        #expect(image.frames.count == 1)
        let small = try await image.thumbnail(longestSide: 5)
        #expect((small.width, small.height) == (5, 4))
        #expect(try await small.pixels(layout: .rgba).bytes.count == 80)
    }

    @Test func `a progressive JPEG with scans without end is refused`() async throws {
        var bytes = [UInt8](try ImageMagick.make(ImageMagick.photo + ["-interlace", "JPEG"], as: "jpeg"))
        // The first scan, of the coarse values, may be repeated; one that refines them may not.
        let first = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let end = try #require(
            bytes.indices.dropLast().first { $0 > first && bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 }
        )
        let scan = Array(bytes[first..<end])
        bytes.removeLast(2)
        for _ in 0..<300 { bytes += scan }
        bytes += [0xFF, 0xD9]
        let image = try Image(Data(bytes))
        await #expect(throws: ImageError(.limitExceeded, reason: "")) { try await image.pixels() }
    }

    @Test(arguments: [
        "", "<svg/>", "GIF89a", "BM", "\0\0\u{1}\0", "#define x_width", "II*\0", "RIFF\0\0\0\0WEBP",
        "\0\0\0\u{18}ftypavif",
    ])
    func `what is not a picture is malformed`(_ text: String) {
        #expect(throws: ImageError(.malformed, reason: "")) { try Image(Data(text.utf8)) }
    }

    /// The CRC of a PNG chunk.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        crc = ~crc
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: crc >> $0) }
    }
}
