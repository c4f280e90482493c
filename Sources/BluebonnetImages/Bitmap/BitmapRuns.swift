// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Iterates over the runs of a compressed bitmap.
struct BitmapRuns {
    /// Consecutive pixels in a row.
    struct Run {
        var row: Int
        var column: Int
        var indices: [Int]
    }

    private var offset: Int
    private(set) var row = 0
    private var column = 0

    init(offset: Int) {
        self.offset = offset
    }

    /// Returns the next run; nil at the end of the bitmap.
    mutating func next(_ bitmap: DeviceIndependentBitmap) throws(ImageError) -> Run? {
        while self.row < bitmap.height {
            let count = Int(try bitmap.bytes.byte(at: self.offset))
            let value = Int(try bitmap.bytes.byte(at: self.offset + 1))
            self.offset += 2
            if count > 0 {
                let isByte = bitmap.compression == .runs8
                return self.run((0..<count).map { isByte ? value : ($0 % 2 == 0 ? value >> 4 : value & 15) })
            }
            switch value {
            case 0:
                self.row += 1
                self.column = 0
            case 1:
                return nil
            case 2:
                self.column += Int(try bitmap.bytes.byte(at: self.offset))
                self.row += Int(try bitmap.bytes.byte(at: self.offset + 1))
                self.offset += 2
            default:
                return self.run(try self.literals(value, bitmap))
            }
        }
        return nil
    }

    private mutating func run(_ indices: [Int]) -> Run {
        defer { self.column += indices.count }
        return Run(row: self.row, column: self.column, indices: indices)
    }

    /// Reads uncompressed pixels, padded to an even number of bytes.
    private mutating func literals(_ count: Int, _ bitmap: DeviceIndependentBitmap) throws(ImageError) -> [Int] {
        let isByte = bitmap.compression == .runs8
        let byteCount = isByte ? count : (count + 1) / 2
        let bytes = Array(try bitmap.bytes.slice(self.offset, byteCount))
        self.offset += byteCount + byteCount % 2
        return (0..<count).map { place in
            if isByte { return Int(bytes[place]) }
            let byte = Int(bytes[place / 2])
            return place % 2 == 0 ? byte >> 4 : byte & 15
        }
    }
}
