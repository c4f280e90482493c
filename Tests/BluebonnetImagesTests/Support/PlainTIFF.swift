// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a TIFF (TIFF 6.0) or BigTIFF without compression, in one strip or one tile, from samples in any combination.
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
    /// 0: gray from white to black; 1: gray from black to white; 2: RGB.
    var photometric: Int
    /// 0: unspecified; 1: alpha with premultiplied colors; 2: straight alpha; nil: the field is missing.
    var extraSamples: Int?
    var orientation = 1
    var isBigEndian = false
    /// Whether it is a BigTIFF.
    var isBig = false
    /// Whether the pixels are in the top left corner of a tile of 16 × 16 pixels.
    var isTiled = false

    func make(_ samples: [Int]) -> Data {
        let pixels = self.isTiled ? self.tile(samples) : samples
        let sampleBytes = pixels.flatMap { self.number($0, self.bits / 8) }
        var entries = [
            Entry(tag: 256, valueSize: 2, values: [self.width]),
            Entry(tag: 257, valueSize: 2, values: [self.height]),
            Entry(tag: 258, valueSize: 2, values: Array(repeating: self.bits, count: self.samplesPerPixel)),
            Entry(tag: 259, valueSize: 2, values: [1]),
            Entry(tag: 262, valueSize: 2, values: [self.photometric]),
            Entry(tag: 274, valueSize: 2, values: [self.orientation]),
            Entry(tag: 277, valueSize: 2, values: [self.samplesPerPixel]),
        ]
        let start = self.isBig ? 16 : 8
        if self.isTiled {
            entries += [
                Entry(tag: 322, valueSize: 2, values: [16]), Entry(tag: 323, valueSize: 2, values: [16]),
                Entry(tag: 324, valueSize: 4, values: [start]),
                Entry(tag: 325, valueSize: 4, values: [sampleBytes.count]),
            ]
        } else {
            entries += [
                Entry(tag: 273, valueSize: 4, values: [start]), Entry(tag: 278, valueSize: 2, values: [self.height]),
                Entry(tag: 279, valueSize: 4, values: [sampleBytes.count]),
            ]
        }
        if let extraSamples { entries.append(Entry(tag: 338, valueSize: 2, values: [extraSamples])) }
        let padding = [UInt8](repeating: 0, count: sampleBytes.count % 2)
        let directory = start + sampleBytes.count + padding.count
        return Data(self.header(directory) + sampleBytes + padding + self.directory(entries, at: directory))
    }

    private func tile(_ samples: [Int]) -> [Int] {
        var tile = [Int](repeating: 0, count: 16 * 16 * self.samplesPerPixel)
        for (place, sample) in samples.enumerated() {
            let (row, column) = place.quotientAndRemainder(dividingBy: self.width * self.samplesPerPixel)
            tile[row * 16 * self.samplesPerPixel + column] = sample
        }
        return tile
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
