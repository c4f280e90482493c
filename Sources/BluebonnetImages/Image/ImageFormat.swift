// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An image file format.
public struct ImageFormat: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name in lower case, for example `jpeg`.
    public let name: String

    /// Creates a format for a custom decoder.
    ///
    /// - Parameter name: The name in lower case.
    public init(_ name: String) {
        self.name = name
    }

    public var description: String { self.name }

    /// AV1 in HEIF.
    public static let avif = Self("avif")
    /// Windows bitmap.
    public static let bmp = Self("bmp")
    /// GIF 87a and 89a.
    public static let gif = Self("gif")
    /// HEVC in HEIF.
    public static let heic = Self("heic")
    /// Windows icons and cursors.
    public static let ico = Self("ico")
    /// JPEG (ITU-T T.81), baseline and progressive.
    public static let jpeg = Self("jpeg")
    /// PNG.
    public static let png = Self("png")
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = Self("tiff")
    /// WebP, including animations (RFC 9649).
    public static let webp = Self("webp")
    /// X bitmap: C source text.
    public static let xbm = Self("xbm")

    /// Detects the format from the first bytes.
    ///
    /// - Parameter data: The file.
    /// - Returns: The format; nil if it is none of those above.
    public static func detect(_ data: Data) -> ImageFormat? {
        let head = Array(data.prefix(512))
        func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            head.count >= offset + bytes.count && head[offset..<offset + bytes.count].elementsEqual(bytes)
        }
        if begins([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) { return .gif }
        if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) { return .webp }
        if begins([0x49, 0x49, 42, 0]) || begins([0x49, 0x49, 43, 0]) { return .tiff }
        if begins([0x4D, 0x4D, 0, 42]) || begins([0x4D, 0x4D, 0, 43]) { return .tiff }
        if begins(Array("BM".utf8)) { return .bmp }
        if begins([0, 0, 1, 0]) || begins([0, 0, 2, 0]) { return .ico }
        if begins(Array("ftyp".utf8), at: 4) { return Self.brand(head) }
        return XBitmap.isPlausible(head) ? .xbm : nil
    }

    /// Detects the format from the brands of an ISO base media file (ISO/IEC 23008-12 section 10, AV1 Image File Format
    /// section 6).
    private static func brand(_ head: [UInt8]) -> ImageFormat? {
        let boxLength = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        var brands: [[UInt8]] = []
        var offset = 8
        while offset + 4 <= min(boxLength, head.count) {
            // The minor version is in the position of the second brand.
            if offset != 12 { brands.append(Array(head[offset..<offset + 4])) }
            offset += 4
        }
        if brands.contains(where: { $0 == Array("avif".utf8) || $0 == Array("avis".utf8) }) { return .avif }
        let others = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].map { Array($0.utf8) }
        return brands.contains(where: others.contains) ? .heic : nil
    }
}
