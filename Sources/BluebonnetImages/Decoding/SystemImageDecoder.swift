// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Decodes GIF, BMP, ICO and XBM itself, and other formats with the system's libraries.
///
/// JPEG, PNG, TIFF and WebP need the package's trait `ImageCodecs`, AVIF and HEIC the trait `HEIF`. Of a TIFF with
/// several pages, the first is decoded; of an icon, the largest image; of an animated PNG or AVIF, the default image.
public struct SystemImageDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// The formats that this build can decode.
    public var formats: Set<ImageFormat> {
        let libraries: [ImageFormat] = [.jpeg, .png, .tiff, .webp, .avif, .heic]
        return Set([.bmp, .gif, .ico, .xbm] + libraries.filter(CodecReader.isAvailable))
    }

    public func header(of data: Data, as format: ImageFormat, limits: ImageLimits) throws(ImageError) -> ImageHeader {
        try limits.check(byteCount: data.count)
        switch format {
        case .gif: return try GIFFile(ImageBytes(data), limits: limits).header
        case .bmp: return try BitmapFile(ImageBytes(data), limits: limits).header
        case .ico: return try IconFile(ImageBytes(data), limits: limits).header
        case .xbm: return try XBitmap(ImageBytes(data), limits: limits).header
        default: return try CodecReader.header(of: data, as: format, limits: limits)
        }
    }

    public func pixels(
        of data: Data,
        header: ImageHeader,
        request: ImageDecodingRequest,
        limits: ImageLimits
    ) throws -> [ImagePixels] {
        try limits.check(byteCount: data.count)
        let size = request.size(width: header.width, height: header.height)
        try limits.check(width: size.width, height: size.height, frames: request.frames.count)
        guard ![.gif, .bmp, .ico, .xbm].contains(header.format) else {
            return try self.ownPixels(of: data, header, request, limits)
        }
        return try CodecReader.pixels(of: data, as: header.format, request: request, limits: limits)
    }

    /// Decodes the formats that need no library: the whole image is decoded, then scaled down.
    private func ownPixels(
        of data: Data,
        _ header: ImageHeader,
        _ request: ImageDecodingRequest,
        _ limits: ImageLimits
    ) throws -> [ImagePixels] {
        try limits.check(width: header.width, height: header.height, frames: 1)
        let bytes = ImageBytes(data)
        switch header.format {
        case .gif:
            return try GIFFile(bytes, limits: limits).pixels(of: request.frames) { try $0.shrunk(for: request) }
        case .bmp:
            return [try BitmapFile(bytes, limits: limits).pixels().shrunk(for: request)]
        case .ico:
            return [try IconFile(bytes, limits: limits).pixels(limits: limits).shrunk(for: request)]
        default:
            return [try XBitmap(bytes, limits: limits).pixels().shrunk(for: request)]
        }
    }
}
