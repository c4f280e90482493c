// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The properties of an image that are known without decoding its pixels.
public struct ImageHeader: Sendable, Hashable {
    /// The file format.
    public var format: ImageFormat

    /// The number of pixels in a stored row.
    public var width: Int

    /// The number of stored rows.
    public var height: Int

    /// The number of bits per component; decoded pixels have 8 at most.
    public var bitsPerComponent: Int

    /// The colour model of the file; decoded pixels are always RGB.
    public var colorSpace: ImageColorSpace

    /// Whether a pixel may be transparent.
    public var hasAlpha: Bool

    /// The orientation of the stored rows.
    public var orientation: ImageOrientation

    /// The frames in order; one for a still image.
    public var frames: [ImageFrame]

    /// The number of times an animation is played; nil if it loops forever.
    public var loopCount: Int?

    /// Creates a header.
    ///
    /// - Parameters:
    ///   - format: The file format.
    ///   - width: The number of pixels in a row.
    ///   - height: The number of rows.
    ///   - bitsPerComponent: The number of bits per component.
    ///   - colorSpace: The colour model of the file.
    ///   - hasAlpha: Whether a pixel may be transparent.
    ///   - orientation: The orientation of the stored rows.
    ///   - frames: The frames in order.
    ///   - loopCount: The number of times an animation is played; nil if it loops forever.
    public init(
        format: ImageFormat,
        width: Int,
        height: Int,
        bitsPerComponent: Int = 8,
        colorSpace: ImageColorSpace = .rgb,
        hasAlpha: Bool = false,
        orientation: ImageOrientation = .up,
        frames: [ImageFrame] = [ImageFrame()],
        loopCount: Int? = 1
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.bitsPerComponent = bitsPerComponent
        self.colorSpace = colorSpace
        self.hasAlpha = hasAlpha
        self.orientation = orientation
        self.frames = frames
        self.loopCount = loopCount
    }

    /// The layout of inflated pixels: an unused first byte for opaque images, premultiplied alpha for others.
    public var naturalLayout: PixelLayout { self.hasAlpha ? .premultipliedFirst : .skipFirst }
}

/// The colour model of an image file.
public enum ImageColorSpace: String, Sendable, Hashable, Codable {
    /// One component, black to white.
    case gray
    /// Red, green and blue, or a model that is converted to them: YCbCr, a palette.
    case rgb
    /// Cyan, magenta, yellow and black.
    case cmyk
}

/// One frame of an image.
public struct ImageFrame: Sendable, Hashable {
    /// The display duration in the file; zero for a still image.
    public var duration: Duration

    /// Creates a frame.
    ///
    /// - Parameter duration: The display duration.
    public init(duration: Duration = .zero) {
        self.duration = duration
    }
}
