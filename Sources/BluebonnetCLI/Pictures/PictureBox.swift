// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The room for a picture on a terminal, in pixels.
struct PictureBox: Equatable {
    var width: Int
    var height: Int

    /// The pixels of a character cell where the terminal does not say: those of a usual font.
    static let cell = PictureBox(width: 8, height: 16)

    /// The room on a terminal: its width without the last column, which may wrap, and its height without two rows for the prompt.
    ///
    /// - Parameters:
    ///   - columns: The columns of the terminal.
    ///   - rows: Its rows.
    ///   - cell: The pixels of a character cell.
    init(columns: Int, rows: Int, cell: PictureBox) {
        self.init(width: max(columns - 1, 1) * cell.width, height: max(rows - 2, 1) * cell.height)
    }

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The longer side of a picture that fits; it is never enlarged.
    ///
    /// - Parameters:
    ///   - width: The width of the picture, upright.
    ///   - height: Its height.
    /// - Returns: The longer side in pixels, 1 at least.
    func longestSide(ofWidth width: Double, height: Double) -> Int {
        guard width >= 1, height >= 1 else { return 1 }
        let scale = min(Double(self.width) / width, Double(self.height) / height, 1)
        return max(Int(max(width, height) * scale), 1)
    }
}
