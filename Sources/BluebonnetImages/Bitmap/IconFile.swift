// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A Windows icon or cursor: several images, of which the largest is used.
struct IconFile {
    private enum Content {
        /// A whole PNG file.
        case png(Data)
        /// A bitmap without file header, followed by a transparency mask.
        case bitmap(DeviceIndependentBitmap)
    }

    private let content: Content
    let header: ImageHeader

    init(_ bytes: ImageBytes, limits: ImageLimits) throws(ImageError) {
        let kind = try bytes.short(at: 2)
        guard try bytes.short(at: 0) == 0, kind == 1 || kind == 2 else {
            throw ImageError(.malformed, reason: "the picture is not an icon")
        }
        let entry = try Self.largest(in: bytes)
        let part = Array(try bytes.slice(try bytes.word(at: entry + 12), try bytes.word(at: entry + 8)))
        if part.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            let png = Data(part)
            var header = try SystemImageDecoder().header(of: png, as: .png, limits: limits)
            header.format = .ico
            self.header = header
            self.content = .png(png)
        } else {
            let bitmap = try DeviceIndependentBitmap(ImageBytes(part), at: 0, isIcon: true, limits: limits)
            self.header = ImageHeader(format: .ico, width: bitmap.width, height: bitmap.height, hasAlpha: true)
            self.content = .bitmap(bitmap)
        }
    }

    /// Returns the offset of the directory entry of the largest image; of several, that with the most colors.
    private static func largest(in bytes: ImageBytes) throws(ImageError) -> Int {
        let count = try bytes.short(at: 4)
        let isCursor = try bytes.short(at: 2) == 2
        var best: (entry: Int, size: Int, bits: Int)?
        for index in 0..<count {
            let entry = 6 + 16 * index
            // A side of 256 is stored as 0.
            let width = (Int(try bytes.byte(at: entry)) + 255) % 256 + 1
            let height = (Int(try bytes.byte(at: entry + 1)) + 255) % 256 + 1
            // The field of a cursor is the position of its hot spot, and that of an icon is often 0.
            let declared = isCursor ? 0 : try bytes.short(at: entry + 6)
            let bits = Self.bitCount(of: entry, in: bytes) ?? declared
            guard let found = best, (found.size, found.bits) >= (width * height, bits) else {
                best = (entry, width * height, bits)
                continue
            }
        }
        guard let best else { throw ImageError(.malformed, reason: "the icon has no pictures") }
        return best.entry
    }

    /// Returns the number of bits per pixel in the header of an entry's image; nil if that is out of bounds.
    private static func bitCount(of entry: Int, in bytes: ImageBytes) -> Int? {
        guard let offset = try? bytes.word(at: entry + 12), let headerSize = try? bytes.word(at: offset) else {
            return nil
        }
        // A PNG has the most colors that an icon can have.
        if headerSize == 0x474E_5089 { return 32 }
        return try? bytes.short(at: offset + (headerSize == 12 ? 10 : 14))
    }

    func pixels(limits: ImageLimits) throws -> ImagePixels {
        switch self.content {
        case .png(let png):
            return try CodecReader.pixels(of: png, as: .png, request: ImageDecodingRequest(), limits: limits)[0]
        case .bitmap(let bitmap):
            var pixels = try bitmap.decode()
            try Self.applyAlpha(of: bitmap, to: &pixels)
            return ImagePixels(checkedWidth: bitmap.width, height: bitmap.height, bytes: pixels)
        }
    }

    /// Applies alpha: the fourth byte of 32 bits, or else the mask after the pixels, in which a set bit is transparent.
    private static func applyAlpha(of bitmap: DeviceIndependentBitmap, to pixels: inout [UInt8]) throws {
        if bitmap.bitCount == 32, bitmap.compression == .none {
            let alphas = (0..<bitmap.width * bitmap.height).map { bitmap.bytes.bytes[bitmap.pixelOffset + $0 * 4 + 3] }
            if alphas.contains(where: { $0 != 0 }) {
                for row in 0..<bitmap.height {
                    let source = (bitmap.isTopDown ? row : bitmap.height - 1 - row) * bitmap.width
                    for column in 0..<bitmap.width {
                        pixels[(row * bitmap.width + column) * 4 + 3] = alphas[source + column]
                    }
                }
                return
            }
        }
        let maskOffset = bitmap.pixelOffset + bitmap.bytesPerRow * bitmap.height
        let stride = (bitmap.width + 31) / 32 * 4
        // Some programs omit the mask.
        guard !bitmap.hasAlpha, maskOffset + stride * bitmap.height <= bitmap.bytes.count else { return }
        for row in 0..<bitmap.height {
            let source = maskOffset + (bitmap.isTopDown ? row : bitmap.height - 1 - row) * stride
            for column in 0..<bitmap.width where bitmap.bytes.bytes[source + column / 8] >> (7 - column % 8) & 1 == 1 {
                pixels[(row * bitmap.width + column) * 4 + 3] = 0
            }
        }
    }
}
