// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages

/// A picture in sixels: bands of six rows, each drawn once per colour (DEC, VT330/VT340 Programmer Reference Manual).
///
/// The colours are a cube of 6 × 6 × 6; the error of each pixel is distributed to its neighbours (Floyd and Steinberg).
struct SixelPicture {
    private static let levels = 6

    private let width: Int
    private let height: Int

    /// The index of the colour of each pixel; -1 for a pixel that is not drawn.
    private let colours: [Int]

    init(_ pixels: ImagePixels) {
        self.width = pixels.width
        self.height = pixels.height
        self.colours = Self.reduced(pixels.converted(to: .rgba))
    }

    /// The escape sequence.
    var text: String {
        // P2 is 1: pixels that are not drawn keep the background.
        var text = "\u{1B}P0;1;0q\"1;1;\(self.width);\(self.height)"
        for colour in Set(self.colours).sorted() where colour >= 0 {
            let percents = [colour / 36, colour / 6 % 6, colour % 6].map { String($0 * 100 / (Self.levels - 1)) }
            text += "#\(colour);2;\(percents.joined(separator: ";"))"
        }
        for top in stride(from: 0, to: self.height, by: 6) { text += self.band(top) + "-" }
        return text + "\u{1B}\\\n"
    }

    /// Returns a band of six rows: for each colour, one character per column.
    private func band(_ top: Int) -> String {
        let rows = min(6, self.height - top)
        var dots: [Int: [UInt8]] = [:]
        for row in 0..<rows {
            for x in 0..<self.width {
                let colour = self.colours[(top + row) * self.width + x]
                guard colour >= 0 else { continue }
                dots[colour, default: Array(repeating: 0, count: self.width)][x] |= 1 << UInt8(row)
            }
        }
        return dots.sorted { $0.key < $1.key }.map { "#\($0.key)\(Self.packed($0.value))" }.joined(separator: "$")
    }

    /// Returns the characters for the dots of a colour, run-length encoded.
    private static func packed(_ dots: [UInt8]) -> String {
        var text = ""
        var rest = dots[...]
        while let first = rest.first {
            let run = rest.prefix { $0 == first }.count
            let character = String(UnicodeScalar(first + 63))
            text += run > 3 ? "!\(run)\(character)" : String(repeating: character, count: run)
            rest = rest.dropFirst(run)
        }
        return text
    }

    private static func reduced(_ pixels: ImagePixels) -> [Int] {
        let width = pixels.width
        var colours = [Int](repeating: -1, count: width * pixels.height)
        // The errors distributed to the current and the next row, three values per pixel, in sixteenths.
        var errors = [Int](repeating: 0, count: (width + 2) * 3)
        var next = errors
        for y in 0..<pixels.height {
            for x in 0..<width {
                let index = y * pixels.bytesPerRow + x * 4
                guard pixels.bytes[index + 3] >= 128 else { continue }
                var colour = 0
                for component in 0..<3 {
                    let place = (x + 1) * 3 + component
                    let wanted = min(max(Int(pixels.bytes[index + component]) + errors[place] / 16, 0), 255)
                    let level = (wanted * (self.levels - 1) + 127) / 255
                    let lost = wanted - level * 255 / (self.levels - 1)
                    errors[place + 3] += lost * 7
                    next[place - 3] += lost * 3
                    next[place] += lost * 5
                    next[place + 3] += lost
                    colour = colour * self.levels + level
                }
                colours[y * width + x] = colour
            }
            errors = next
            next = [Int](repeating: 0, count: errors.count)
        }
        return colours
    }
}
