// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// An X bitmap: C source with the size and the bits of a black-and-white image (X11's XBM).
struct XBitmap {
    private let bytes: ImageBytes
    private let width: Int
    private let height: Int
    /// The offset of the numbers.
    private let start: Int
    /// Whether a number holds 16 bits, as in X10.
    private let isWide: Bool

    /// The largest number of bytes before the first brace: the words of a longer text would take memory without bound.
    private static let largestHeader = 64 << 10

    init(_ bytes: ImageBytes, limits: ImageLimits) throws(ImageError) {
        self.bytes = bytes
        var width: Int?
        var height: Int?
        var offset = 0
        let header = bytes.bytes.prefix(Self.largestHeader)
        while let line = Self.line(header, &offset) {
            let words = line.split { $0 == 0x20 || $0 == 0x09 }
            if words.count >= 3, words[0].elementsEqual("#define".utf8) {
                let value = Self.number(words[2])
                if words[1].ends(with: "width") { width = value }
                if words[1].ends(with: "height") { height = value }
            }
            if line.contains(UInt8(ascii: "{")) { break }
        }
        guard let width, let height, let brace = header.firstIndex(of: UInt8(ascii: "{")) else {
            throw ImageError(.malformed, reason: "the picture is not an X bitmap")
        }
        try limits.check(width: width, height: height)
        self.width = width
        self.height = height
        self.start = brace + 1
        self.isWide = header[..<brace].split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }.contains {
            $0.elementsEqual("short".utf8)
        }
    }

    /// Whether a file begins like an X bitmap: with a definition, optionally after a comment.
    static func isPlausible(_ head: [UInt8]) -> Bool {
        let words = head.split { $0 <= 0x20 }
        guard let define = words.firstIndex(where: { $0.elementsEqual("#define".utf8) }) else { return false }
        let isFirst = define == 0 || words[0].starts(with: "/*".utf8)
        return isFirst && define + 1 < words.count && words[define + 1].ends(with: "width")
    }

    var header: ImageHeader {
        ImageHeader(format: .xbm, width: self.width, height: self.height, bitsPerComponent: 1, colorSpace: .gray)
    }

    func pixels() throws -> ImagePixels {
        let bitsPerNumber = self.isWide ? 16 : 8
        let perRow = (self.width + bitsPerNumber - 1) / bitsPerNumber
        // A number takes at least two bytes of text, so a short file is refused before memory is allocated.
        guard (self.bytes.count - self.start) / 2 >= perRow * self.height - 1 else { throw ImageBytes.cutShort }
        var pixels = [UInt8](repeating: 255, count: self.width * self.height * 4)
        var offset = self.start
        for row in 0..<self.height {
            if row % 64 == 0 { try Task.checkCancellation() }
            for number in 0..<perRow {
                let value = try self.nextNumber(&offset)
                for bit in 0..<min(bitsPerNumber, self.width - number * bitsPerNumber) where value >> bit & 1 == 1 {
                    let place = (row * self.width + number * bitsPerNumber + bit) * 4
                    for component in 0..<3 { pixels[place + component] = 0 }
                }
            }
        }
        return ImagePixels(checkedWidth: self.width, height: self.height, bytes: pixels)
    }

    // MARK: Text

    private func nextNumber(_ offset: inout Int) throws(ImageError) -> Int {
        func isDigit(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "x") || byte == UInt8(ascii: "X") || byte.hexadecimalValue != nil
        }
        while !isDigit(try self.bytes.byte(at: offset)) {
            if self.bytes.bytes[offset] == UInt8(ascii: "}") { throw ImageBytes.cutShort }
            offset += 1
        }
        let start = offset
        while offset < self.bytes.count, isDigit(self.bytes.bytes[offset]) { offset += 1 }
        guard let value = Self.number(self.bytes.bytes[start..<offset]) else {
            throw ImageError(.malformed, reason: "the X bitmap has a number that cannot be read")
        }
        return value
    }

    private static func line(_ header: ArraySlice<UInt8>, _ offset: inout Int) -> ArraySlice<UInt8>? {
        guard offset < header.count else { return nil }
        let end = header[offset...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? header.count
        defer { offset = end + 1 }
        return header[offset..<end]
    }

    /// Parses a decimal number, or a hexadecimal one after `0x`, of at most eight digits.
    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        let isHex = text.count > 2 && (text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8))
        let digits = isHex ? text.dropFirst(2) : text
        guard !digits.isEmpty, digits.count <= 8 else { return nil }
        var value = 0
        for byte in digits {
            guard let digit = byte.hexadecimalValue, isHex || digit < 10 else { return nil }
            value = value * (isHex ? 16 : 10) + Int(digit)
        }
        return value
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool { self.suffix(text.utf8.count).elementsEqual(text.utf8) }
}
