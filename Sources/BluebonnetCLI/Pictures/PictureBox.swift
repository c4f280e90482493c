// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The space for a picture on a terminal, in pixels.
struct PictureBox: Equatable {
    var width: Int
    var height: Int

    /// The size of a character cell if the terminal does not report it: that of a common font.
    static let cell = PictureBox(width: 8, height: 16)

    /// Creates the space on a terminal, without the last column, which may wrap, and without two rows for the prompt.
    ///
    /// - Parameters:
    ///   - columns: The columns of the terminal.
    ///   - rows: The rows of the terminal.
    ///   - cell: The size of a character cell in pixels.
    init(columns: Int, rows: Int, cell: PictureBox) {
        self.init(width: max(columns - 1, 1) * cell.width, height: max(rows - 2, 1) * cell.height)
    }

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Returns the longer side of a picture that is scaled to fit; a picture is never enlarged.
    ///
    /// - Parameters:
    ///   - width: The width of the picture, upright.
    ///   - height: Its height.
    /// - Returns: The longer side in pixels, at least 1.
    func longestSide(ofWidth width: Double, height: Double) -> Int {
        guard width >= 1, height >= 1 else { return 1 }
        let scale = min(Double(self.width) / width, Double(self.height) / height, 1)
        return max(Int(max(width, height) * scale), 1)
    }
}
