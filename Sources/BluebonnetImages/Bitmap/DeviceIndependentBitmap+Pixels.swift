// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension DeviceIndependentBitmap {
    /// The bytes of a stored row, which is padded to a multiple of four.
    var bytesPerRow: Int { (self.width * self.bitCount + 31) / 32 * 4 }

    /// Decodes the pixels.
    ///
    /// - Returns: RGBA from the top row down.
    /// - Throws: `ImageError`; `CancellationError` when the task is cancelled.
    func decode() throws -> [UInt8] {
        if self.compression == .runs8 || self.compression == .runs4 { return try self.decodeRuns() }
        // All rows must be present before memory is allocated for their pixels.
        _ = try self.bytes.slice(self.pixelOffset, self.bytesPerRow * self.height)
        var pixels = [UInt8](repeating: 255, count: self.width * self.height * 4)
        for row in 0..<self.height {
            if row % 64 == 0 { try Task.checkCancellation() }
            let source = self.pixelOffset + (self.isTopDown ? row : self.height - 1 - row) * self.bytesPerRow
            try self.decodeRow(at: source, to: row * self.width * 4, of: &pixels)
        }
        return pixels
    }

    private func decodeRow(at source: Int, to target: Int, of pixels: inout [UInt8]) throws(ImageError) {
        switch self.bitCount {
        case 16, 32:
            let fields = self.masks.map(BitField.init)
            for column in 0..<self.width {
                let place = source + column * self.bitCount / 8
                let word = UInt32(
                    self.bitCount == 16 ? try self.bytes.short(at: place) : try self.bytes.word(at: place)
                )
                for component in 0..<3 { pixels[target + column * 4 + component] = fields[component].value(in: word) }
                if self.hasAlpha { pixels[target + column * 4 + 3] = fields[3].value(in: word) }
            }
        case 24:
            for column in 0..<self.width {
                for component in 0..<3 {
                    pixels[target + column * 4 + component] = try self.bytes.byte(
                        at: source + column * 3 + 2 - component
                    )
                }
            }
        default:
            let perByte = 8 / self.bitCount
            for column in 0..<self.width {
                let byte = Int(try self.bytes.byte(at: source + column / perByte))
                let shift = (perByte - 1 - column % perByte) * self.bitCount
                self.put(byte >> shift & (1 << self.bitCount - 1), at: target + column * 4, of: &pixels)
            }
        }
    }

    /// Writes a palette color; a missing one is black.
    private func put(_ index: Int, at target: Int, of pixels: inout [UInt8]) {
        let isThere = index < self.palette.count
        for component in 0..<3 { pixels[target + component] = isThere ? self.palette[index][component] : 0 }
        pixels[target + 3] = 255
    }

    /// Decodes runs of equal pixels (BI_RLE8, BI_RLE4).
    ///
    /// Pixels that are skipped have the first color.
    private func decodeRuns() throws -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: self.width * self.height * 4)
        for row in 0..<self.height {
            if row % 64 == 0 { try Task.checkCancellation() }
            for column in 0..<self.width { self.put(0, at: (row * self.width + column) * 4, of: &pixels) }
        }
        var runs = BitmapRuns(offset: self.pixelOffset)
        var count = 0
        while runs.row < self.height, let run = try runs.next(self) {
            // By runs, not by rows: a row may have any number of them.
            if count % 1_024 == 0 { try Task.checkCancellation() }
            count += 1
            guard run.row < self.height else { break }
            let row = self.isTopDown ? run.row : self.height - 1 - run.row
            for (place, index) in run.indices.prefix(max(self.width - run.column, 0)).enumerated() {
                self.put(index, at: (row * self.width + run.column + place) * 4, of: &pixels)
            }
        }
        return pixels
    }
}

/// The bits of a pixel that make up one component.
private struct BitField {
    private let mask: UInt32
    private let shift: Int
    private let largest: UInt32

    init(_ mask: UInt32) {
        self.mask = mask
        self.shift = mask == 0 ? 0 : mask.trailingZeroBitCount
        self.largest = mask >> UInt32(self.shift)
    }

    func value(in word: UInt32) -> UInt8 {
        guard self.largest > 0 else { return 0 }
        let value = UInt64((word & self.mask) >> UInt32(self.shift))
        return UInt8(min((value * 255 + UInt64(self.largest) / 2) / UInt64(self.largest), 255))
    }
}
