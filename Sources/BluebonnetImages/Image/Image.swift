// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// An image: the properties in its header at once, and its pixels on request.
///
/// It is a value that may be shared between tasks. Pixels are decoded off the caller's executor, with limited
/// concurrency in the whole process, and the last ones are kept up to ``ImageLimits/keptByteCount``. A small image that
/// ``ImageResponseSerializer`` decodes with its response does not wait for its turn.
///
/// ```swift
/// let image = try Image(data)
/// let small = try await image.thumbnail(longestSide: 256)
/// let pixels = try await small.pixels(layout: .rgba)
/// ```
public struct Image: Sendable {
    /// The header of the file.
    public let header: ImageHeader

    /// The number of pixels per point of the screen that the image is for; 1 unless given.
    public var scale: Double

    let storage: ImageStorage

    init(_ storage: ImageStorage, scale: Double) {
        self.header = storage.header
        self.storage = storage
        self.scale = scale
    }

    /// Parses the header of a file; no pixel is decoded.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - scale: The number of pixels per point.
    ///   - limits: The limits beyond which it is refused.
    ///   - decoder: The decoder.
    /// - Throws: ``ImageError``.
    public init(
        _ data: Data,
        scale: Double = 1,
        limits: ImageLimits = ImageLimits(),
        decoder: any ImageDecoder = .system
    ) throws(ImageError) {
        try limits.check(byteCount: data.count)
        guard let format = decoder.format(of: data) else {
            throw ImageError(.malformed, reason: "the bytes are not a picture of any known format")
        }
        try self.init(data, as: format, scale: scale, limits: limits, decoder: decoder)
    }

    /// Parses the header of a file in a known format; no pixel is decoded.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - format: Its format.
    ///   - scale: The number of pixels per point.
    ///   - limits: The limits beyond which it is refused.
    ///   - decoder: The decoder.
    /// - Throws: ``ImageError``.
    public init(
        _ data: Data,
        as format: ImageFormat,
        scale: Double = 1,
        limits: ImageLimits = ImageLimits(),
        decoder: any ImageDecoder = .system
    ) throws(ImageError) {
        try limits.check(byteCount: data.count)
        let header = try decoder.header(of: data, as: format, limits: limits)
        try limits.check(width: header.width, height: header.height)
        try limits.check(frameCount: header.frames.count)
        guard !header.frames.isEmpty else { throw ImageError(.malformed, reason: "the picture has no frames") }
        self.init(ImageStorage(ImageFile(data: data, decoder: decoder, limits: limits), header), scale: scale)
    }

    /// Creates an image from pixels.
    ///
    /// - Parameters:
    ///   - pixels: The pixels.
    ///   - scale: The number of pixels per point.
    ///   - orientation: The orientation of the stored rows.
    ///   - format: The format of the original file.
    public init(
        pixels: ImagePixels,
        scale: Double = 1,
        orientation: ImageOrientation = .up,
        format: ImageFormat = ImageFormat("pixels")
    ) {
        let header = ImageHeader(
            format: format,
            width: pixels.width,
            height: pixels.height,
            hasAlpha: pixels.layout != .skipFirst,
            orientation: orientation
        )
        self.init(ImageStorage(pixels, header), scale: scale)
    }

    /// The number of pixels in a stored row.
    public var width: Int { self.header.width }

    /// The number of stored rows.
    public var height: Int { self.header.height }

    /// The orientation of the stored rows.
    ///
    /// ``oriented()`` applies it.
    public var orientation: ImageOrientation { self.header.orientation }

    /// The colour model of the file.
    public var colorSpace: ImageColorSpace { self.header.colorSpace }

    /// The file format.
    public var format: ImageFormat { self.header.format }

    /// The frames in order; one for a still image.
    public var frames: [ImageFrame] { self.header.frames }

    /// Whether there is more than one frame.
    public var isAnimated: Bool { self.frames.count > 1 }

    /// The size in points when it is shown upright: pixels divided by ``scale``.
    public var size: (width: Double, height: Double) {
        let (width, height) = (Double(self.width) / self.scale, Double(self.height) / self.scale)
        return self.orientation.swapsSides ? (height, width) : (width, height)
    }

    /// The file; nil for an image that was created from pixels.
    public var data: Data? { self.storage.file?.data }

    /// Whether decoded pixels are in memory.
    public var isInflated: Bool { self.storage.isInflated }

    /// The maximum memory of the image: its file and the pixels that it may keep.
    public var largestByteCount: Int { self.storage.largestByteCount }
}
