// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Scales an image down while its rows arrive: each pixel of the result is the average of the area that it covers.
///
/// Colours are weighted by alpha, so that transparent pixels do not affect their neighbours.
struct RowShrinker {
    private let source: (width: Int, height: Int)
    private let target: (width: Int, height: Int)
    /// For each source column: the first target column that it overlaps, and its share there.
    private let columns: [(index: Int, share: Float)]
    /// Sums of red, green, blue (weighted by alpha) and alpha of the current target row, and of the next one.
    private var sums: [Float]
    private var nextSums: [Float]
    private var line: [Float]
    private var nextRow = 0
    private var bytes: [UInt8] = []

    init(from source: (width: Int, height: Int), to target: (width: Int, height: Int)) {
        self.source = source
        self.target = target
        self.columns = (0..<source.width).map { Self.split($0, source.width, target.width) }
        self.sums = [Float](repeating: 0, count: target.width * 4)
        self.nextSums = self.sums
        // One extra position: a share of zero may lie beyond the last column.
        self.line = [Float](repeating: 0, count: target.width * 4 + 4)
        self.bytes.reserveCapacity(target.width * target.height * 4)
    }

    /// Returns where a source column or row lies in the target: the first position and its share there; the rest lies
    /// in the next.
    private static func split(_ place: Int, _ source: Int, _ target: Int) -> (index: Int, share: Float) {
        let index = place * target / source
        let border = (index + 1) * source
        let (start, end) = (place * target, (place + 1) * target)
        return (index, end <= border ? 1 : Float(border - start) / Float(target))
    }

    /// Adds the next row, in RGBA.
    mutating func add(_ row: ArraySlice<UInt8>) {
        self.gather(row)
        let (index, share) = Self.split(self.nextRow, self.source.height, self.target.height)
        for place in 0..<self.target.width * 4 {
            self.sums[place] += self.line[place] * share
        }
        if share < 1 {
            for place in 0..<self.target.width * 4 {
                self.nextSums[place] += self.line[place] * (1 - share)
            }
        }
        self.nextRow += 1
        if self.nextRow * self.target.height >= (index + 1) * self.source.height { self.finishRow() }
    }

    /// Adds a row to the sums of the target columns.
    private mutating func gather(_ row: ArraySlice<UInt8>) {
        self.line.withUnsafeMutableBufferPointer { line in
            line.update(repeating: 0)
            row.withUnsafeBufferPointer { row in
                for (column, place) in self.columns.enumerated() {
                    let pixel = column * 4
                    let alpha = Float(row[pixel + 3])
                    let weight = alpha * (1 / 255)
                    let (red, green, blue) = (
                        Float(row[pixel]) * weight, Float(row[pixel + 1]) * weight, Float(row[pixel + 2]) * weight
                    )
                    let first = place.index * 4
                    line[first] += red * place.share
                    line[first + 1] += green * place.share
                    line[first + 2] += blue * place.share
                    line[first + 3] += alpha * place.share
                    guard place.share < 1 else { continue }
                    let rest = 1 - place.share
                    line[first + 4] += red * rest
                    line[first + 5] += green * rest
                    line[first + 6] += blue * rest
                    line[first + 7] += alpha * rest
                }
            }
        }
    }

    private mutating func finishRow() {
        let area =
            Float(self.source.width) / Float(self.target.width)
            * (Float(self.source.height) / Float(self.target.height))
        for column in 0..<self.target.width {
            let alpha = self.sums[column * 4 + 3]
            // The average color, weighted by alpha; zero if everything is transparent.
            let scale = alpha > 0 ? 255 / alpha : 0
            for component in 0..<3 { self.bytes.append(Self.byte(self.sums[column * 4 + component] * scale)) }
            self.bytes.append(Self.byte(alpha / area))
        }
        swap(&self.sums, &self.nextSums)
        for place in 0..<self.nextSums.count { self.nextSums[place] = 0 }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(min(value.rounded(), 255), 0)) }

    /// The result, available after the last row.
    var pixels: ImagePixels {
        ImagePixels(checkedWidth: self.target.width, height: self.target.height, bytes: self.bytes)
    }
}

extension ImagePixels {
    /// Returns the image, with straight alpha, in the requested size.
    func shrunk(for request: ImageDecodingRequest) throws -> ImagePixels {
        let size = request.size(width: self.width, height: self.height)
        if size == (self.width, self.height) { return self }
        var shrinker = RowShrinker(from: (self.width, self.height), to: size)
        for row in 0..<self.height {
            if row % 64 == 0 { try Task.checkCancellation() }
            shrinker.add(self.bytes[row * self.bytesPerRow..<(row + 1) * self.bytesPerRow])
        }
        return shrinker.pixels
    }
}
