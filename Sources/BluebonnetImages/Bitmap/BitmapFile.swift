// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A Windows bitmap file: a file header of 14 bytes before a device-independent bitmap.
struct BitmapFile {
    private let bitmap: DeviceIndependentBitmap

    init(_ bytes: ImageBytes, limits: ImageLimits) throws(ImageError) {
        guard try bytes.slice(0, 2).elementsEqual("BM".utf8) else {
            throw ImageError(.malformed, reason: "the picture is not a BMP")
        }
        self.bitmap = try DeviceIndependentBitmap(bytes, at: 14, pixelOffset: try bytes.word(at: 10), limits: limits)
    }

    var header: ImageHeader {
        ImageHeader(format: .bmp, width: self.bitmap.width, height: self.bitmap.height, hasAlpha: self.bitmap.hasAlpha)
    }

    func pixels() throws -> ImagePixels {
        ImagePixels(
            checkedWidth: self.bitmap.width,
            height: self.bitmap.height,
            bytes: try self.bitmap.decode()
        )
    }
}
