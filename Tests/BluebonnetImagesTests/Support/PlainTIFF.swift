// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a TIFF (TIFF 6.0) or BigTIFF without compression from samples in any combination.
struct PlainTIFF {
    private struct Entry {
        var tag: Int
        /// The number of bytes of each value: 2 for SHORT, 4 for LONG.
        var valueSize: Int
        var values: [Int]
    }

    var width: Int
    var height = 1
    var bits = 8
    var samplesPerPixel: Int
    /// 0: gray from white to black; 1: gray from black to white; 2: RGB; 3: palette; 5: CMYK.
    var photometric: Int
    /// 0: unspecified; 1: alpha with premultiplied colors; 2: straight alpha; empty: the field is missing.
    var extraSamples: [Int] = []
    /// The values of red, then of green, then of blue, each from 0 to 65,535.
    var palette: [Int] = []
    var orientation = 1
    var isBigEndian = false
    /// Whether it is a BigTIFF.
    var isBig = false
    /// Whether the pixels are in tiles of 16 × 16 pixels; else they are in one strip.
    var isTiled = false
    /// Whether each sample has strips or tiles of its own.
    var isPlanar = false

    /// Writes the samples of the pixels, row by row.
    func make(_ samples: [Int]) -> Data {
        let parts = self.planes(samples).flatMap { self.isTiled ? self.tiles($0) : [$0] }
        let sampleBytes = parts.joined().flatMap { self.number($0, self.bits / 8) }
        var entries = [
            Entry(tag: 256, valueSize: 2, values: [self.width]),
            Entry(tag: 257, valueSize: 2, values: [self.height]),
            Entry(tag: 258, valueSize: 2, values: Array(repeating: self.bits, count: self.samplesPerPixel)),
            Entry(tag: 259, valueSize: 2, values: [1]),
            Entry(tag: 262, valueSize: 2, values: [self.photometric]),
            Entry(tag: 274, valueSize: 2, values: [self.orientation]),
            Entry(tag: 277, valueSize: 2, values: [self.samplesPerPixel]),
            Entry(tag: 284, valueSize: 2, values: [self.isPlanar ? 2 : 1]),
        ]
        let start = self.isBig ? 16 : 8
        let size = sampleBytes.count / parts.count
        let offsets = parts.indices.map { start + $0 * size }
        let sizes = parts.map { _ in size }
        if self.isTiled {
            entries += [
                Entry(tag: 322, valueSize: 2, values: [16]), Entry(tag: 323, valueSize: 2, values: [16]),
                Entry(tag: 324, valueSize: 4, values: offsets), Entry(tag: 325, valueSize: 4, values: sizes),
            ]
        } else {
            entries += [
                Entry(tag: 273, valueSize: 4, values: offsets), Entry(tag: 278, valueSize: 2, values: [self.height]),
                Entry(tag: 279, valueSize: 4, values: sizes),
            ]
        }
        if !self.palette.isEmpty { entries.append(Entry(tag: 320, valueSize: 2, values: self.palette)) }
        if !self.extraSamples.isEmpty { entries.append(Entry(tag: 338, valueSize: 2, values: self.extraSamples)) }
        let padding = [UInt8](repeating: 0, count: sampleBytes.count % 2)
        let directory = start + sampleBytes.count + padding.count
        return Data(self.header(directory) + sampleBytes + padding + self.directory(entries, at: directory))
    }

    private func planes(_ samples: [Int]) -> [[Int]] {
        if !self.isPlanar { return [samples] }
        return (0..<self.samplesPerPixel).map { plane in
            stride(from: plane, to: samples.count, by: self.samplesPerPixel).map { samples[$0] }
        }
    }

    /// Cuts a plane into tiles, of which those at the right and at the bottom are filled with zeros.
    private func tiles(_ samples: [Int]) -> [[Int]] {
        let pixel = self.isPlanar ? 1 : self.samplesPerPixel
        var tiles: [[Int]] = []
        for top in stride(from: 0, to: self.height, by: 16) {
            for left in stride(from: 0, to: self.width, by: 16) {
                var tile = [Int](repeating: 0, count: 16 * 16 * pixel)
                let count = min(16, self.width - left) * pixel
                for row in 0..<min(16, self.height - top) {
                    let start = ((top + row) * self.width + left) * pixel
                    tile.replaceSubrange(
                        row * 16 * pixel..<row * 16 * pixel + count,
                        with: samples[start..<start + count]
                    )
                }
                tiles.append(tile)
            }
        }
        return tiles
    }

    private func header(_ directory: Int) -> [UInt8] {
        let order = Array((self.isBigEndian ? "MM" : "II").utf8)
        if !self.isBig { return order + self.number(42, 2) + self.number(directory, 4) }
        return order + self.number(43, 2) + self.number(8, 2) + self.number(0, 2) + self.number(directory, 8)
    }

    /// Returns the directory and the values that do not fit into its entries.
    private func directory(_ entries: [Entry], at offset: Int) -> [UInt8] {
        let size = self.isBig ? 8 : 4
        let entries = entries.sorted { $0.tag < $1.tag }
        var bytes = self.number(entries.count, self.isBig ? 8 : 2)
        let end = offset + bytes.count + entries.count * (4 + 2 * size) + size
        var others: [UInt8] = []
        for entry in entries {
            bytes += self.number(entry.tag, 2) + self.number(entry.valueSize == 2 ? 3 : 4, 2)
            bytes += self.number(entry.values.count, size)
            let values = entry.values.flatMap { self.number($0, entry.valueSize) }
            if values.count > size {
                bytes += self.number(end + others.count, size)
                others += values
            } else {
                bytes += values + [UInt8](repeating: 0, count: size - values.count)
            }
        }
        return bytes + [UInt8](repeating: 0, count: size) + others
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return self.isBigEndian ? bytes.reversed() : bytes
    }
}
