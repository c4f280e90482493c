// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A drawing of a bluebonnet, for the demonstration.
struct DemoPicture {
    static let width = 96
    static let height = 80

    private typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    /// The pixels from top to bottom: red, green, blue and alpha.
    let pixels: [UInt8]

    init() {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(Self.width * Self.height * 4)
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                let colour = Self.colour(x, y)
                pixels += [colour.red, colour.green, colour.blue, 255]
            }
        }
        self.pixels = pixels
    }

    /// The drawing as a bitmap file of 24 bits per pixel, whose rows are stored from bottom to top.
    var file: [UInt8] {
        func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let rowSize = (Self.width * 3 + 3) / 4 * 4
        let headerSize = 54
        var file = Array("BM".utf8) + word(headerSize + rowSize * Self.height) + word(0) + word(headerSize)
        // BITMAPINFOHEADER: 1 plane, 24 bits, uncompressed, 72 dots per inch.
        file += word(40) + word(Self.width) + word(Self.height) + [1, 0, 24, 0] + word(0) + word(0)
        file += word(2835) + word(2835) + word(0) + word(0)
        for y in (0..<Self.height).reversed() {
            for x in 0..<Self.width {
                let index = (y * Self.width + x) * 4
                file += [self.pixels[index + 2], self.pixels[index + 1], self.pixels[index]]
            }
            file += Array(repeating: 0, count: rowSize - Self.width * 3)
        }
        return file
    }

    /// Returns the colour of a pixel: a sky, a meadow, and a stem with blossoms that become smaller towards its top.
    private static func colour(_ x: Int, _ y: Int) -> Colour {
        let middle = Self.width / 2
        for row in 0..<7 {
            let (centre, radius) = (8 + row * 7, 2 + row)
            for side in [-1, 1] {
                let (dx, dy) = (x - middle - side * radius, y - centre)
                guard dx * dx + dy * dy <= radius * radius else { continue }
                // The upper petal of a blossom has a white spot.
                if dx * dx + (dy + radius / 2) * (dy + radius / 2) <= radius * radius / 8 { return (244, 244, 255) }
                return dy > radius / 3 ? (38, 52, 150) : (62, 84, 196)
            }
        }
        if abs(x - middle) <= 1, (6..<74).contains(y) { return (60, 120, 48) }
        // Two leaves.
        for side in [-1, 1] {
            let (dx, dy) = (x - middle - side * 12, y - 64)
            if dx * dx * 16 + dy * dy * 160 <= 16 * 144 { return (76, 146, 60) }
        }
        if y >= 68 { return (112, 170, 78) }
        let shade = UInt8(min(y, 60))
        return (176 + shade / 2, 212 + shade / 3, 245)
    }
}
