// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension GIFFile {
    /// Draws frames in order on the screen, and returns those requested.
    ///
    /// - Parameters:
    ///   - range: The frames.
    ///   - change: Converts each frame.
    /// - Returns: The screen after each frame.
    /// - Throws: `ImageError`; `CancellationError` when the task is cancelled.
    func pixels(of range: Range<Int>, _ change: (ImagePixels) throws -> ImagePixels) throws -> [ImagePixels] {
        var screen = [UInt8](repeating: 0, count: self.width * self.height * 4)
        var result: [ImagePixels] = []
        for (number, frame) in self.frames.prefix(range.upperBound).enumerated() {
            try Task.checkCancellation()
            let before = frame.disposal == .restore ? self.area(of: frame, on: screen) : []
            try self.draw(frame, on: &screen)
            if range.contains(number) {
                result.append(try change(ImagePixels(checkedWidth: self.width, height: self.height, bytes: screen)))
            }
            switch frame.disposal {
            case .keep: break
            case .clear: self.clear(frame, on: &screen)
            case .restore: self.restore(frame, to: before, on: &screen)
            }
        }
        return result
    }

    /// Draws a frame on the screen.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - screen: The pixels of the screen.
    /// - Throws: `ImageError`; `CancellationError` when the task is cancelled.
    func draw(_ frame: GIFFrame, on screen: inout [UInt8]) throws {
        guard let palette = frame.palette else {
            throw ImageError(.malformed, reason: "a frame of the GIF has no colors")
        }
        // The code size may allow indices beyond the palette: they are opaque black. If they were transparent, every
        // file of two colors might have transparency, because the smallest code size is that of four (appendix F).
        let missing = repeatElement(UInt8(0), count: (256 - palette.count) * 3)
        let colors = Array(try self.bytes.slice(palette.offset, palette.count * 3)) + missing
        // Pixels outside the screen are decoded but not drawn; their number is nevertheless limited.
        guard frame.width * frame.height <= self.width * self.height + 65_536 else {
            throw ImageError(.limitExceeded, reason: "a frame of the GIF is much larger than its screen")
        }
        let indices = try GIFCodes.decode(self.bytes, at: frame.dataOffset, count: frame.width * frame.height)
        let columns = 0..<max(min(frame.width, self.width - frame.left), 0)
        for place in 0..<frame.height {
            if place.isMultiple(of: 64) { try Task.checkCancellation() }
            let row = frame.row(place) + frame.top
            guard row < self.height else { continue }
            for column in columns {
                let index = indices[place * frame.width + column]
                guard index != frame.transparentIndex else { continue }
                let target = (row * self.width + frame.left + column) * 4
                screen[target] = colors[Int(index) * 3]
                screen[target + 1] = colors[Int(index) * 3 + 1]
                screen[target + 2] = colors[Int(index) * 3 + 2]
                screen[target + 3] = 255
            }
        }
    }

    /// Makes the area of a frame transparent, as browsers do; the background color of the file is ignored.
    private func clear(_ frame: GIFFrame, on screen: inout [UInt8]) {
        for row in self.rows(of: frame) {
            for place in row { screen[place] = 0 }
        }
    }

    /// Returns the bytes of the area of a frame: not those of the screen, which is as large for a frame of one pixel.
    private func area(of frame: GIFFrame, on screen: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.rows(of: frame).reduce(0) { $0 + $1.count })
        for row in self.rows(of: frame) { bytes += screen[row] }
        return bytes
    }

    /// Puts the bytes of the area of a frame back.
    private func restore(_ frame: GIFFrame, to bytes: [UInt8], on screen: inout [UInt8]) {
        var start = 0
        for row in self.rows(of: frame) {
            screen.replaceSubrange(row, with: bytes[start..<start + row.count])
            start += row.count
        }
    }

    /// Returns the places of the bytes of a frame, row by row, as far as they are on the screen.
    private func rows(of frame: GIFFrame) -> some Sequence<Range<Int>> {
        let left = min(frame.left, self.width)
        let right = min(frame.left + frame.width, self.width)
        let top = min(frame.top, self.height)
        let bottom = min(frame.top + frame.height, self.height)
        let width = self.width
        return (top..<bottom).lazy.map { row in (row * width + left) * 4..<(row * width + right) * 4 }
    }
}
