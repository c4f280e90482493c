// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Puts binary property lists together byte by byte, valid ones and others.
struct BinaryPropertyListBuilder {
    var objects: [[UInt8]] = []
    var root = 0
    var referenceWidth = 1
    var offsetWidth = 2
    /// What the trailer says instead of the truth.
    var claimedCount: UInt64?
    var claimedTable: UInt64?
    var claimedOffsets: [Int: Int] = [:]

    func build() -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in self.objects {
            offsets.append(data.count)
            data.append(contentsOf: object)
        }
        let table = data.count
        for (index, offset) in offsets.enumerated() {
            data.append(
                contentsOf: Self.bigEndian(UInt64(self.claimedOffsets[index] ?? offset)).suffix(self.offsetWidth)
            )
        }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(self.offsetWidth), UInt8(self.referenceWidth)])
        data.append(contentsOf: Self.bigEndian(self.claimedCount ?? UInt64(self.objects.count)))
        data.append(contentsOf: Self.bigEndian(UInt64(self.root)))
        data.append(contentsOf: Self.bigEndian(self.claimedTable ?? UInt64(table)))
        return data
    }

    static func bigEndian(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// Arrays of two references each to the next one: 2 to the power of `levels` values in a few bytes.
    static func doubling(levels: Int) -> Data {
        var builder = BinaryPropertyListBuilder()
        for level in 0..<levels { builder.objects.append([0xA2, UInt8(level + 1), UInt8(level + 1)]) }
        builder.objects.append([0x09])
        return builder.build()
    }
}
