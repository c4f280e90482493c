// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a TIFF without compression in tiles (TIFF 6.0 section 15).
enum TiledTIFF {
    static func make(_ pixels: [UInt8], width: Int, height: Int, tile: (width: Int, height: Int)) -> Data {
        var tiles: [[UInt8]] = []
        for top in stride(from: 0, to: height, by: tile.height) {
            for left in stride(from: 0, to: width, by: tile.width) {
                var bytes: [UInt8] = []
                for row in top..<top + tile.height {
                    for column in left..<left + tile.width {
                        let isInside = row < height && column < width
                        let place = (row * width + column) * 4
                        bytes += isInside ? pixels[place..<place + 3] : [0, 0, 0]
                    }
                }
                tiles.append(bytes)
            }
        }
        let first = 8 + 2 + 12 * 10 + 4
        let data = first + 6 + 8 * tiles.count
        var file: [UInt8] = Array("II*\0".utf8) + Self.word(8) + Self.short(10)
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) {
            file += Self.short(tag) + Self.short(kind) + Self.word(count) + Self.word(value)
        }
        entry(256, 3, 1, width)
        entry(257, 3, 1, height)
        entry(258, 3, 3, first)
        entry(259, 3, 1, 1)
        entry(262, 3, 1, 2)
        entry(277, 3, 1, 3)
        entry(322, 3, 1, tile.width)
        entry(323, 3, 1, tile.height)
        entry(324, 4, tiles.count, first + 6)
        entry(325, 4, tiles.count, first + 6 + 4 * tiles.count)
        file += Self.word(0) + Self.short(8) + Self.short(8) + Self.short(8)
        for number in tiles.indices { file += Self.word(data + number * tiles[0].count) }
        for tile in tiles { file += Self.word(tile.count) }
        return Data(file + tiles.joined())
    }

    private static func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    private static func word(_ value: Int) -> [UInt8] { Self.short(value & 0xFFFF) + Self.short(value >> 16) }
}
