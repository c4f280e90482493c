// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The layout of the four bytes of a pixel.
public enum PixelLayout: String, Sendable, Hashable, Codable, CaseIterable {
    /// Red, green, blue, alpha; straight alpha.
    case rgba
    /// Alpha, red, green, blue; premultiplied alpha.
    case premultipliedFirst
    /// An unused byte, which is 255, then red, green, blue: for opaque images. Alpha is dropped.
    case skipFirst
}

/// Decoded pixels: rows from top to bottom without gaps, 4 bytes per pixel.
public struct ImagePixels: Sendable, Hashable {
    /// The number of pixels in a row.
    public let width: Int

    /// The number of rows.
    public let height: Int

    /// The layout of the four bytes of a pixel.
    public private(set) var layout: PixelLayout

    /// The bytes: 4 × width × height.
    public private(set) var bytes: [UInt8]

    /// Creates pixels.
    ///
    /// - Parameters:
    ///   - width: The number of pixels in a row.
    ///   - height: The number of rows.
    ///   - layout: The layout of the four bytes of a pixel.
    ///   - bytes: The bytes.
    /// - Throws: ``ImageError`` with code `malformed` if there are not 4 × width × height bytes, or no pixels.
    public init(width: Int, height: Int, layout: PixelLayout = .rgba, bytes: [UInt8]) throws(ImageError) {
        let (pixelCount, hasOverflown) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !hasOverflown, bytes.count % 4 == 0, bytes.count / 4 == pixelCount else {
            throw ImageError(.malformed, reason: "\(bytes.count) bytes are not \(width) × \(height) pixels of 4 bytes")
        }
        self.init(checkedWidth: width, height: height, layout: layout, bytes: bytes)
    }

    /// Creates pixels with a checked size.
    init(checkedWidth width: Int, height: Int, layout: PixelLayout = .rgba, bytes: [UInt8]) {
        self.width = width
        self.height = height
        self.layout = layout
        self.bytes = bytes
    }

    /// The number of bytes of a row.
    public var bytesPerRow: Int { self.width * 4 }

    /// Returns the pixels in another layout.
    ///
    /// Premultiplied colours cannot be restored exactly.
    ///
    /// - Parameter layout: The layout.
    /// - Returns: The pixels.
    public func converted(to layout: PixelLayout) -> ImagePixels {
        var pixels = self
        pixels.convert(to: layout)
        return pixels
    }

    /// Converts the pixels to another layout, in place unless somebody else has the bytes, too.
    mutating func convert(to layout: PixelLayout) {
        if layout == self.layout { return }
        let source = self.layout
        self.bytes.withUnsafeMutableBufferPointer { bytes in
            var index = 0
            while index + 3 < bytes.count {
                StraightPixel(bytes, index, source).write(to: bytes, index, layout)
                index += 4
            }
        }
        self.layout = layout
    }
}

/// One pixel with straight alpha, between two layouts.
private struct StraightPixel {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
    var alpha: UInt8

    init(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ index: Int, _ layout: PixelLayout) {
        switch layout {
        case .rgba:
            (self.red, self.green, self.blue) = (bytes[index], bytes[index + 1], bytes[index + 2])
            self.alpha = bytes[index + 3]
        case .skipFirst:
            (self.red, self.green, self.blue) = (bytes[index + 1], bytes[index + 2], bytes[index + 3])
            self.alpha = 255
        case .premultipliedFirst:
            let alpha = bytes[index]
            self.alpha = alpha
            self.red = Self.divide(bytes[index + 1], by: alpha)
            self.green = Self.divide(bytes[index + 2], by: alpha)
            self.blue = Self.divide(bytes[index + 3], by: alpha)
        }
    }

    func write(to target: UnsafeMutableBufferPointer<UInt8>, _ index: Int, _ layout: PixelLayout) {
        switch layout {
        case .rgba:
            target[index] = self.red
            target[index + 1] = self.green
            target[index + 2] = self.blue
            target[index + 3] = self.alpha
        case .skipFirst, .premultipliedFirst:
            let alpha = layout == .skipFirst ? 255 : self.alpha
            target[index] = alpha
            target[index + 1] = Self.multiply(self.red, by: alpha)
            target[index + 2] = Self.multiply(self.green, by: alpha)
            target[index + 3] = Self.multiply(self.blue, by: alpha)
        }
    }

    private static func multiply(_ color: UInt8, by alpha: UInt8) -> UInt8 {
        if alpha == 255 { return color }
        return UInt8((UInt32(color) * UInt32(alpha) + 127) / 255)
    }

    private static func divide(_ color: UInt8, by alpha: UInt8) -> UInt8 {
        if alpha == 255 { return color }
        if alpha == 0 { return 0 }
        return UInt8(min((UInt32(color) * 255 + UInt32(alpha) / 2) / UInt32(alpha), 255))
    }
}

extension ImagePixels {
    /// Returns the pixels in upright orientation.
    func turned(by orientation: ImageOrientation) -> ImagePixels {
        if orientation == .up { return self }
        let width = orientation.swapsSides ? self.height : self.width
        let height = orientation.swapsSides ? self.width : self.height
        var bytes = [UInt8]()
        bytes.reserveCapacity(self.bytes.count)
        for y in 0..<height {
            for x in 0..<width {
                let place = orientation.source(x: x, y: y, width: self.width, height: self.height)
                let index = (place.y * self.width + place.x) * 4
                bytes.append(self.bytes[index])
                bytes.append(self.bytes[index + 1])
                bytes.append(self.bytes[index + 2])
                bytes.append(self.bytes[index + 3])
            }
        }
        return ImagePixels(checkedWidth: width, height: height, layout: self.layout, bytes: bytes)
    }
}
