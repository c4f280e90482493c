// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// One frame of a GIF file, with its position on the screen (GIF 89a sections 20 and 23).
struct GIFFrame {
    /// What happens to the frame's area before the next one is drawn.
    enum Disposal: Int {
        case keep = 1
        case clear = 2
        case restore = 3
    }

    var left = 0
    var top = 0
    var width = 0
    var height = 0
    var isInterlaced = false
    /// The offset and the number of its colours; nil if it has none.
    var palette: (offset: Int, count: Int)?
    var transparentIndex: UInt8?
    var disposal = Disposal.keep
    /// The delay in hundredths of a second.
    var delay = 0
    /// The offset of its data, which begins with the initial code size.
    var dataOffset = 0

    /// Returns the row at a position in the file (section 20, appendix E).
    func row(_ place: Int) -> Int {
        guard self.isInterlaced else { return place }
        let passes = [(start: 0, step: 8), (start: 4, step: 8), (start: 2, step: 4), (start: 1, step: 2)]
        var first = 0
        for pass in passes {
            let count = self.height > pass.start ? (self.height - pass.start + pass.step - 1) / pass.step : 0
            if place < first + count { return pass.start + (place - first) * pass.step }
            first += count
        }
        return place
    }
}
