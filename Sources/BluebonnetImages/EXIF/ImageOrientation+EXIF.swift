// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ImageOrientation {
    /// Finds the orientation in the metadata of a file; ``ImageOrientation/up`` if there is none or it is malformed.
    ///
    /// AVIF and HEIC store it as a property of the image, which the library applies.
    static func find(in bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> ImageOrientation {
        let metadata: UnsafeRawBufferPointer? =
            switch format {
            case .jpeg: Self.jpegMetadata(bytes)
            case .png: Self.pngMetadata(bytes)
            case .webp: Self.webpMetadata(bytes)
            case .tiff: bytes
            default: nil
            }
        return metadata.flatMap(Self.read) ?? .up
    }

    /// Returns the APP1 segment that begins with `Exif` (CIPA DC-008 section 4.7.2).
    private static func jpegMetadata(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var offset = 2
        while let marker = bytes.big16(offset), marker >= 0xFF00, marker != 0xFFDA, marker != 0xFFD9 {
            // Fill bytes before a marker (T.81 section B.1.1.2).
            if marker == 0xFFFF {
                offset += 1
                continue
            }
            guard let length = bytes.big16(offset + 2), length >= 2 else { return nil }
            let prefix = Array("Exif\0\0".utf8)
            if marker == 0xFFE1, let segment = bytes.part(offset + 4, length - 2), segment.starts(with: prefix) {
                return segment.part(prefix.count, segment.count - prefix.count)
            }
            offset += 2 + length
        }
        return nil
    }

    /// Returns the `eXIf` chunk, which may precede or follow the pixels.
    private static func pngMetadata(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var offset = 8
        while let length = bytes.big32(offset), let name = bytes.part(offset + 4, 4) {
            if name.elementsEqual("eXIf".utf8) { return bytes.part(offset + 8, length) }
            offset += 12 + length
        }
        return nil
    }

    /// Returns the `EXIF` chunk (RFC 9649 section 2.7.1.5), which some programs begin with `Exif` as in JPEG.
    private static func webpMetadata(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var offset = 12
        while let name = bytes.part(offset, 4), let length = bytes.little32(offset + 4) {
            if name.elementsEqual("EXIF".utf8), let chunk = bytes.part(offset + 8, length) {
                let prefix = Array("Exif\0\0".utf8)
                return chunk.starts(with: prefix) ? chunk.part(6, chunk.count - 6) : chunk
            }
            offset += 8 + length + length % 2
        }
        return nil
    }

    /// Reads the tag Orientation (274) of the first directory of a TIFF structure (TIFF 6.0 section 2).
    ///
    /// A BigTIFF has the version 43; its offsets, and the numbers of entries and values, have eight bytes.
    private static func read(_ tiff: UnsafeRawBufferPointer) -> ImageOrientation? {
        let isLittle: Bool
        switch tiff.big16(0) {
        case 0x4949: isLittle = true
        case 0x4D4D: isLittle = false
        default: return nil
        }
        func short(_ offset: Int) -> Int? { isLittle ? tiff.little16(offset) : tiff.big16(offset) }
        func word(_ offset: Int) -> Int? { isLittle ? tiff.little32(offset) : tiff.big32(offset) }
        func long(_ offset: Int) -> Int? { isLittle ? tiff.little64(offset) : tiff.big64(offset) }
        let isBig = short(2) == 43
        guard isBig ? short(4) == 8 : short(2) == 42, let directory = isBig ? long(8) : word(4),
            let count = isBig ? long(directory) : short(directory)
        else { return nil }
        // The directory is within the bytes, and so is each entry: the offsets cannot overflow.
        var entry = directory + (isBig ? 8 : 2)
        for _ in 0..<count {
            guard let tag = short(entry) else { return nil }
            if tag == 274 {
                guard short(entry + 2) == 3, let value = short(entry + (isBig ? 12 : 8)) else { return nil }
                return ImageOrientation(rawValue: value)
            }
            entry += isBig ? 20 : 12
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a part of the bytes; nil if it is out of bounds.
    fileprivate func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
    }

    fileprivate func big16(_ offset: Int) -> Int? { self.part(offset, 2).map { Int($0[0]) << 8 | Int($0[1]) } }
    fileprivate func little16(_ offset: Int) -> Int? { self.part(offset, 2).map { Int($0[1]) << 8 | Int($0[0]) } }

    fileprivate func big32(_ offset: Int) -> Int? {
        guard let high = self.big16(offset), let low = self.big16(offset + 2) else { return nil }
        return high << 16 | low
    }

    fileprivate func little32(_ offset: Int) -> Int? {
        guard let low = self.little16(offset), let high = self.little16(offset + 2) else { return nil }
        return high << 16 | low
    }

    /// Returns eight bytes as a number; nil if they are out of bounds, or the number is too large.
    fileprivate func big64(_ offset: Int) -> Int? {
        self.part(offset, 8).flatMap { Int(exactly: $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) }
    }

    /// Returns eight bytes as a number; nil if they are out of bounds, or the number is too large.
    fileprivate func little64(_ offset: Int) -> Int? {
        self.part(offset, 8).flatMap { Int(exactly: $0.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) }
    }
}
