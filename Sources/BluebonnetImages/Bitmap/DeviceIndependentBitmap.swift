// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A bitmap with its header (BITMAPCOREHEADER to BITMAPV5HEADER), as in BMP, icon and cursor files.
struct DeviceIndependentBitmap {
    enum Compression: Int {
        case none = 0
        case runs8 = 1
        case runs4 = 2
        case fields = 3
        case alphaFields = 6
    }

    let bytes: ImageBytes
    let width: Int
    let height: Int
    let bitCount: Int
    let compression: Compression
    let isTopDown: Bool
    /// The offset of the pixels.
    let pixelOffset: Int
    /// Red, green and blue of each color; empty if there is no palette.
    let palette: [[UInt8]]
    /// The bit masks of red, green, blue and alpha in a pixel of 16 or 32 bits.
    let masks: [UInt32]

    /// Parses the header.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - start: The offset of the header.
    ///   - pixelOffset: The offset of the pixels; nil if they follow the palette.
    ///   - isIcon: Whether the height includes the rows of a mask.
    ///   - limits: The limits beyond which it is refused.
    /// - Throws: `ImageError`.
    init(
        _ bytes: ImageBytes,
        at start: Int,
        pixelOffset: Int? = nil,
        isIcon: Bool = false,
        limits: ImageLimits
    ) throws(ImageError) {
        self.bytes = bytes
        let headerSize = try bytes.word(at: start)
        let isCore = headerSize == 12
        guard isCore || (40...1_024).contains(headerSize) else {
            throw ImageError(.unsupported, reason: "the bitmap has a header of \(headerSize) bytes")
        }
        let rows = isCore ? try bytes.short(at: start + 6) : try bytes.signedWord(at: start + 8)
        self.width = isCore ? try bytes.short(at: start + 4) : try bytes.signedWord(at: start + 4)
        self.height = isIcon ? abs(rows) / 2 : abs(rows)
        self.isTopDown = rows < 0
        self.bitCount = try bytes.short(at: start + (isCore ? 10 : 14))
        try limits.check(width: self.width, height: self.height)
        let code = isCore ? 0 : try bytes.word(at: start + 16)
        guard let compression = Compression(rawValue: code), Self.isKnown(self.bitCount, compression) else {
            throw ImageError(
                .unsupported,
                reason: "the bitmap has \(self.bitCount) bits a pixel and compression \(code)"
            )
        }
        self.compression = compression
        var offset = start + headerSize
        self.masks = try Self.masks(bytes, start, headerSize, self.bitCount, compression)
        if headerSize == 40, compression == .fields { offset += 12 }
        if headerSize == 40, compression == .alphaFields { offset += 16 }
        let declared = isCore ? 0 : try bytes.word(at: start + 32)
        let count =
            self.bitCount > 8 ? 0 : (declared == 0 || declared > 1 << self.bitCount ? 1 << self.bitCount : declared)
        let entrySize = isCore ? 3 : 4
        // A palette may be shorter than declared: it ends at the pixel offset in the file header.
        let room = pixelOffset.map { max($0 - offset, 0) / entrySize } ?? count
        self.palette = try Self.palette(bytes, offset, min(count, room), entrySize)
        self.pixelOffset = pixelOffset ?? (offset + (self.bitCount > 8 ? declared : count) * entrySize)
    }

    /// Whether pixels may be transparent, which requires a mask for alpha.
    var hasAlpha: Bool { self.masks.count == 4 && self.masks[3] != 0 }

    private static func isKnown(_ bitCount: Int, _ compression: Compression) -> Bool {
        switch compression {
        case .none: [1, 2, 4, 8, 16, 24, 32].contains(bitCount)
        case .runs8: bitCount == 8
        case .runs4: bitCount == 4
        case .fields, .alphaFields: bitCount == 16 || bitCount == 32
        }
    }

    private static func masks(
        _ bytes: ImageBytes,
        _ start: Int,
        _ headerSize: Int,
        _ bitCount: Int,
        _ compression: Compression
    ) throws(ImageError) -> [UInt32] {
        switch compression {
        case .fields, .alphaFields:
            var masks: [UInt32] = []
            let hasAlpha = headerSize >= 56 || compression == .alphaFields
            for index in 0..<(hasAlpha ? 4 : 3) {
                masks.append(UInt32(truncatingIfNeeded: try bytes.word(at: start + 40 + 4 * index)))
            }
            return masks + (hasAlpha ? [] : [0])
        case .none where bitCount == 16: return [0x7C00, 0x03E0, 0x001F, 0]
        case .none where bitCount == 32: return [0xFF_0000, 0xFF00, 0xFF, 0]
        default: return []
        }
    }

    private static func palette(
        _ bytes: ImageBytes,
        _ offset: Int,
        _ count: Int,
        _ entrySize: Int
    ) throws(ImageError) -> [[UInt8]] {
        var palette: [[UInt8]] = []
        for index in 0..<count {
            let entry = Array(try bytes.slice(offset + index * entrySize, 3))
            palette.append([entry[2], entry[1], entry[0]])
        }
        return palette
    }
}
