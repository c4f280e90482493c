// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The variable-length LZW codes of GIF (GIF 89a appendix F).
enum GIFCodes {
    private static let largestCode = 4_095
    /// The number of codes after which cancellation is checked.
    private static let codesPerCheck = 4_096

    /// Decodes the blocks of a frame.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - offset: The offset of the initial code size, which the blocks follow.
    ///   - count: The number of pixels.
    /// - Returns: One palette index per pixel.
    /// - Throws: `ImageError` with code `malformed`; `CancellationError` when the task is cancelled.
    static func decode(_ bytes: ImageBytes, at offset: Int, count: Int) throws -> [UInt8] {
        let codeSize = Int(try bytes.byte(at: offset))
        guard (1...8).contains(codeSize) else {
            throw ImageError(.malformed, reason: "the GIF has codes of no valid size")
        }
        var table = Table(codeSize)
        var bits = Bits(bytes, at: offset + 1)
        var output: [UInt8] = []
        output.reserveCapacity(count)
        var codeCount = 0
        while output.count < count {
            codeCount += 1
            if codeCount.isMultiple(of: Self.codesPerCheck) { try Task.checkCancellation() }
            let code = try bits.next(table.width)
            if code == table.clearCode {
                table.clear()
            } else if code == table.endCode {
                break
            } else {
                try table.expand(code, into: &output)
            }
        }
        guard output.count >= count else {
            throw ImageError(.malformed, reason: "a frame of the GIF has too few pixels")
        }
        return output
    }

    /// The bits of consecutive blocks, the lowest of each byte first.
    private struct Bits {
        private let bytes: ImageBytes
        private var offset: Int
        private var left = 0
        private var value = 0
        private var count = 0

        init(_ bytes: ImageBytes, at offset: Int) {
            self.bytes = bytes
            self.offset = offset
        }

        mutating func next(_ width: Int) throws(ImageError) -> Int {
            while self.count < width {
                if self.left == 0 {
                    self.left = Int(try self.bytes.byte(at: self.offset))
                    self.offset += 1
                    guard self.left > 0 else {
                        throw ImageError(.malformed, reason: "a frame of the GIF has too few pixels")
                    }
                }
                self.value |= Int(try self.bytes.byte(at: self.offset)) << self.count
                self.offset += 1
                self.left -= 1
                self.count += 8
            }
            defer {
                self.value >>= width
                self.count -= width
            }
            return self.value & (1 << width - 1)
        }
    }

    /// The byte strings of the codes: each is a shorter string and one more byte.
    private struct Table {
        let clearCode: Int
        let endCode: Int
        private let codeSize: Int
        private(set) var width: Int
        private var prefixes = [UInt16](repeating: 0, count: largestCode + 1)
        private var suffixes = [UInt8](repeating: 0, count: largestCode + 1)
        private var lengths = [UInt16](repeating: 1, count: largestCode + 1)
        private var next: Int
        private var previous: Int?

        init(_ codeSize: Int) {
            self.codeSize = codeSize
            self.clearCode = 1 << codeSize
            self.endCode = self.clearCode + 1
            self.width = codeSize + 1
            self.next = self.endCode + 1
            for code in 0..<self.clearCode { self.suffixes[code] = UInt8(code) }
        }

        mutating func clear() {
            self.width = self.codeSize + 1
            self.next = self.endCode + 1
            self.previous = nil
        }

        /// Appends the string of a code, and learns the next string.
        mutating func expand(_ code: Int, into output: inout [UInt8]) throws(ImageError) {
            let start = output.count
            if code < self.next {
                self.append(code, to: &output)
            } else if code == self.next, let previous = self.previous {
                // The string that is being learned: the previous one followed by its own first byte.
                self.append(previous, to: &output)
                output.append(output[start])
            } else {
                throw ImageError(.malformed, reason: "the GIF has an undefined LZW code")
            }
            if let previous = self.previous, self.next <= largestCode {
                self.prefixes[self.next] = UInt16(previous)
                self.suffixes[self.next] = output[start]
                self.lengths[self.next] = self.lengths[previous] &+ 1
                self.next += 1
                if self.next == 1 << self.width, self.width < 12 { self.width += 1 }
            }
            self.previous = code
        }

        private func append(_ code: Int, to output: inout [UInt8]) {
            let length = Int(self.lengths[code])
            let start = output.count
            output.append(contentsOf: repeatElement(0, count: length))
            var code = code
            for place in stride(from: start + length - 1, through: start, by: -1) {
                output[place] = self.suffixes[code]
                code = Int(self.prefixes[code])
            }
        }
    }
}
