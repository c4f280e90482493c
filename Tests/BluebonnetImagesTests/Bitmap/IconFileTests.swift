// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct IconFileTests {
    /// Two images of 1 × 1 pixel: one is blue with few colors, the other is red with many.
    struct Choice: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// 1 for an icon, 2 for a cursor.
        var kind = 1
        var few = IconFileTests.oneBit
        var many = IconFileTests.manyBits
        /// The fields at offset 6 of the two entries.
        var declared = [0, 0]
        /// Whether the image with few colors is the first.
        var isFewFirst = true
    }

    private static func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    private static func word(_ value: Int) -> [UInt8] { Self.short(value & 0xFFFF) + Self.short(value >> 16) }

    /// BITMAPINFOHEADER of one column and one row, and the row of its mask.
    private static func header(_ bits: Int) -> [UInt8] {
        [40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, UInt8(bits), 0] + [UInt8](repeating: 0, count: 24)
    }

    /// The palette is blue and black; the pixel is the first color.
    static let oneBit: [UInt8] = Self.header(1) + [255, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
    /// The same with BITMAPCOREHEADER.
    static let oneBitCore: [UInt8] =
        [12, 0, 0, 0, 1, 0, 2, 0, 1, 0, 1, 0] + [255, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
    static let manyBits: [UInt8] = Self.header(32) + [0, 0, 255, 255, 0, 0, 0, 0]
    /// A PNG of one red pixel.
    static let png = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVQI12P4z8DwHwAFAAH/cpxSZwAAAABJRU5ErkJggg=="
        ) ?? Data()
    )

    private static func file(_ choice: Choice) -> Data {
        var images = [choice.few, choice.many]
        if !choice.isFewFirst { images.reverse() }
        var bytes = Self.short(0) + Self.short(choice.kind) + Self.short(images.count)
        var offset = bytes.count + 16 * images.count
        for (image, declared) in zip(images, choice.declared) {
            bytes += [1, 1, 0, 0] + Self.short(1) + Self.short(declared)
            // An image without bytes is beyond the end.
            bytes += Self.word(image.count) + Self.word(image.isEmpty ? 1 << 20 : offset)
            offset += image.count
        }
        return Data(bytes + images.joined())
    }

    static let choices = [
        Choice(testDescription: "an icon that declares no depth"),
        Choice(testDescription: "an icon that declares no depth, in the other order", isFewFirst: false),
        Choice(testDescription: "an icon that declares a wrong depth", declared: [32, 1]),
        Choice(testDescription: "a cursor whose hot spots differ", kind: 2, declared: [31, 0]),
        Choice(testDescription: "a cursor, in the other order", kind: 2, declared: [0, 31], isFewFirst: false),
        Choice(testDescription: "a header of 12 bytes", few: Self.oneBitCore),
        Choice(testDescription: "a PNG", many: Self.png),
        Choice(testDescription: "an image beyond the end", few: []),
        Choice(testDescription: "a cursor with an image beyond the end", kind: 2, few: [], declared: [31, 0]),
    ]

    @Test(.bug(id: "F270"), arguments: Self.choices)
    func `of images of one size, the one with the most colors in its own header is used`(
        _ choice: Choice
    ) async throws {
        let image = try Image(Self.file(choice), as: .ico)
        #expect((image.width, image.height) == (1, 1))
        #expect(try await image.pixels(layout: .rgba).bytes == [255, 0, 0, 255])
    }
}
