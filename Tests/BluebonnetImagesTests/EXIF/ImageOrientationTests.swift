// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetImages

@Suite struct ImageOrientationTests {
    @Test(.bug(id: "F268"), arguments: ImageOrientation.allCases, [false, true])
    func `the orientation of a BigTIFF is kept`(_ orientation: ImageOrientation, _ isBigEndian: Bool) throws {
        for isBig in [false, true] {
            let file = PlainTIFF(
                width: 1,
                samplesPerPixel: 3,
                photometric: 2,
                orientation: orientation.rawValue,
                isBigEndian: isBigEndian,
                isBig: isBig
            )
            #expect(try Image(file.make([1, 2, 3])).orientation == orientation)
        }
    }

    struct Damaged: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The bytes from an offset on that replace those of a valid file.
        var offset: Int
        var bytes: [UInt8]
        var expected = ImageOrientation.up
    }

    /// A directory with one entry, in little-endian order: Orientation is 6.
    private static let bigTIFF: [UInt8] =
        [0x49, 0x49, 43, 0, 8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]
        + [1, 0, 0, 0, 0, 0, 0, 0]
        + [0x12, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]

    @Test(
        .bug(id: "F268"),
        arguments: [
            Damaged(testDescription: "nothing", offset: 0, bytes: [], expected: .right),
            Damaged(
                testDescription: "more entries than fit into the file, the first of which counts",
                offset: 16,
                bytes: [255, 255, 255, 255, 255, 255, 255, 127],
                expected: .right
            ),
            Damaged(testDescription: "offsets of four bytes", offset: 4, bytes: [4]),
            Damaged(testDescription: "a directory at the end", offset: 8, bytes: [44]),
            Damaged(
                testDescription: "a directory far beyond the end",
                offset: 8,
                bytes: Array(repeating: 255, count: 7)
            ),
            Damaged(
                testDescription: "a directory at the largest offset",
                offset: 8,
                bytes: [255, 255, 255, 255, 255, 255, 255, 127]
            ),
            Damaged(
                testDescription: "a directory at an offset of 64 bits",
                offset: 8,
                bytes: Array(repeating: 255, count: 8)
            ),
            Damaged(
                testDescription: "a number of entries of 64 bits",
                offset: 16,
                bytes: Array(repeating: 255, count: 8)
            ),
            Damaged(
                testDescription: "another tag, and an entry beyond the end",
                offset: 16,
                bytes: [2, 0, 0, 0, 0, 0, 0, 0, 0]
            ),
            Damaged(testDescription: "a value of another type", offset: 26, bytes: [4]),
            Damaged(testDescription: "an orientation that does not exist", offset: 36, bytes: [9]),
        ]
    )
    func `the directory of a BigTIFF is read within its bounds`(_ example: Damaged) {
        var bytes = Self.bigTIFF
        bytes.replaceSubrange(example.offset..<example.offset + example.bytes.count, with: example.bytes)
        #expect(bytes.withUnsafeBytes { ImageOrientation.find(in: $0, .tiff) } == example.expected)
    }

    @Test(.bug(id: "F268")) func `a BigTIFF that is cut anywhere has no orientation`() {
        for count in 0..<38 {
            let bytes = Array(Self.bigTIFF.prefix(count))
            #expect(bytes.withUnsafeBytes { ImageOrientation.find(in: $0, .tiff) } == .up)
        }
    }
}
