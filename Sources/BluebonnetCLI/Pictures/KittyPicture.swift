// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetImages
import BluebonnetSerialization
import FoundationEssentials

/// A picture in the graphics protocol of kitty, https://sw.kovidgoyal.net/kitty/graphics-protocol/.
enum KittyPicture {
    /// The most characters of the payload of one escape sequence.
    private static let pieceSize = 4096

    /// Returns the escape sequences for RGBA pixels.
    static func text(_ pixels: ImagePixels) -> String {
        let bytes = pixels.converted(to: .rgba).bytes
        return self.text("f=32,s=\(pixels.width),v=\(pixels.height)", bytes.data)
    }

    /// Returns the escape sequences for a PNG file, which the terminal decodes.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - columns: The columns of the terminal, to whose width the picture is scaled.
    /// - Returns: The escape sequences.
    static func text(png data: Data, columns: Int) -> String {
        self.text("f=100,c=\(max(columns - 1, 1))", data)
    }

    private static func text(_ keys: String, _ data: Data) -> String {
        var rest = data.base64EncodedString()[...].utf8
        // q=2 suppresses the terminal's response, which would be read as keyboard input.
        var head = "a=T,q=2,\(keys),"
        var text = ""
        repeat {
            let piece = rest.prefix(self.pieceSize)
            rest = rest.dropFirst(piece.count)
            text += "\u{1B}_G\(head)m=\(rest.isEmpty ? 0 : 1);\(Substring(piece))\u{1B}\\"
            head = "q=2,"
        } while !rest.isEmpty
        return text + "\n"
    }
}
