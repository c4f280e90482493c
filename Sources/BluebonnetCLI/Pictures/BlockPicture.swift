// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages

/// A picture in half blocks: each character shows two pixels, in its foreground and its background colour.
struct BlockPicture {
    private struct Colour: Equatable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    private let pixels: ImagePixels

    /// Whether the terminal supports 24-bit colours instead of 256.
    private let isTrueColour: Bool

    /// - Parameters:
    ///   - pixels: The pixels, whose width is the number of characters per line.
    ///   - isTrueColour: Whether the terminal supports 24-bit colours instead of 256.
    init(_ pixels: ImagePixels, isTrueColour: Bool) {
        self.pixels = pixels.converted(to: .rgba)
        self.isTrueColour = isTrueColour
    }

    /// The lines, each of which resets the colours at its end.
    var text: String {
        var text = ""
        for y in stride(from: 0, to: self.pixels.height, by: 2) {
            var (front, back): (Colour?, Colour?) = (nil, nil)
            for x in 0..<self.pixels.width {
                let (upper, lower) = (self.colour(x, y), self.colour(x, y + 1))
                // A missing pixel shows the terminal's background.
                let character = upper != nil ? "▀" : lower != nil ? "▄" : " "
                let (newFront, newBack) = (upper ?? lower, upper != nil ? lower : nil)
                if newBack != back, newBack == nil { text += "\u{1B}[49m" }
                if newBack != back, let newBack { text += self.code(48, newBack) }
                if newFront != front, let newFront { text += self.code(38, newFront) }
                if newFront != nil { front = newFront }
                back = newBack
                text += character
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }

    /// Returns the colour of a pixel; nil below the picture, and if the pixel is mostly transparent.
    private func colour(_ x: Int, _ y: Int) -> Colour? {
        guard y < self.pixels.height else { return nil }
        let index = y * self.pixels.bytesPerRow + x * 4
        let bytes = self.pixels.bytes[index..<index + 4]
        guard bytes[index + 3] >= 128 else { return nil }
        return Colour(red: bytes[index], green: bytes[index + 1], blue: bytes[index + 2])
    }

    private func code(_ layer: Int, _ colour: Colour) -> String {
        if self.isTrueColour { return "\u{1B}[\(layer);2;\(colour.red);\(colour.green);\(colour.blue)m" }
        // The cube of 6 × 6 × 6 colours, with the levels 0, 95, 135, 175, 215 and 255, and 24 greys from 8 to 238.
        func step(_ value: UInt8) -> Int { value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40 }
        let steps = [colour.red, colour.green, colour.blue].map(step)
        let isGrey = colour.red == colour.green && colour.green == colour.blue && (8..<244).contains(colour.red)
        let number =
            isGrey ? 232 + min((Int(colour.red) - 3) / 10, 23) : 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
        return "\u{1B}[\(layer);5;\(number)m"
    }
}
