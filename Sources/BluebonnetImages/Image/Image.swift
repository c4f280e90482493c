// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A picture: what its header says at once, and its pixels when somebody asks for them.
///
/// It is a value that may be shared between tasks. Pixels are decoded off the caller's executor, a few pictures at a time in the whole process,
/// and the last ones are kept up to ``ImageLimits/keptByteCount``.
///
/// ```swift
/// let image = try Image(data)
/// let small = try await image.thumbnail(maxPixels: 256)
/// let pixels = try await small.pixels(layout: .rgba)
/// ```
public struct Image: Sendable {
    /// What the file's header says.
    public let header: ImageHeader

    /// How many pixels make up a point of the screen that the picture is for; 1 unless given.
    public var scale: Double

    let storage: ImageStorage

    init(_ storage: ImageStorage, scale: Double) {
        self.header = storage.header
        self.storage = storage
        self.scale = scale
    }

    /// Reads the header of a file; no pixel is decoded.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - scale: How many pixels make up a point.
    ///   - limits: The limits beyond which it is refused.
    ///   - decoder: What decodes it.
    /// - Throws: ``ImageError``.
    public init(
        _ data: Data,
        scale: Double = 1,
        limits: ImageLimits = ImageLimits(),
        decoder: any ImageDecoder = .system
    ) throws(ImageError) {
        try limits.check(byteCount: data.count)
        guard let format = decoder.format(of: data) else {
            throw ImageError(.malformed, reason: "The bytes are not a picture of any known format.")
        }
        try self.init(data, as: format, scale: scale, limits: limits, decoder: decoder)
    }

    /// Reads the header of a file of a format that is known; no pixel is decoded.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - format: Its format.
    ///   - scale: How many pixels make up a point.
    ///   - limits: The limits beyond which it is refused.
    ///   - decoder: What decodes it.
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
        guard !header.frames.isEmpty else { throw ImageError(.malformed, reason: "The picture has no frames.") }
        self.init(ImageStorage(ImageFile(data: data, decoder: decoder, limits: limits), header), scale: scale)
    }

    /// Creates a picture from pixels.
    ///
    /// - Parameters:
    ///   - pixels: The pixels.
    ///   - scale: How many pixels make up a point.
    ///   - orientation: How they have to be turned to be shown upright.
    ///   - format: The format of the file they are from.
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

    /// The number of pixels in a row, as it is stored.
    public var width: Int { self.header.width }

    /// The number of rows, as they are stored.
    public var height: Int { self.header.height }

    /// How the stored rows have to be turned to be shown upright.
    ///
    /// ``oriented()`` does it.
    public var orientation: ImageOrientation { self.header.orientation }

    /// The colour model of the file.
    public var colorSpace: ImageColorSpace { self.header.colorSpace }

    /// The file format.
    public var format: ImageFormat { self.header.format }

    /// The frames in their order, one for a picture that does not move.
    public var frames: [ImageFrame] { self.header.frames }

    /// Whether there is more than one frame.
    public var isAnimated: Bool { self.frames.count > 1 }

    /// The size in points when it is shown upright: pixels divided by ``scale``.
    public var size: (width: Double, height: Double) {
        let (width, height) = (Double(self.width) / self.scale, Double(self.height) / self.scale)
        return self.orientation.swapsSides ? (height, width) : (width, height)
    }

    /// The file; nil for a picture that was made from pixels.
    public var data: Data? { self.storage.file?.data }

    /// Whether decoded pixels are held.
    public var isInflated: Bool { self.storage.isInflated }

    /// The most memory that the picture holds on to: its file and the pixels that it may keep.
    public var largestByteCount: Int { self.storage.largestByteCount }
}
