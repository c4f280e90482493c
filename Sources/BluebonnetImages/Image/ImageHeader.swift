// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What can be said about a picture without decoding its pixels.
public struct ImageHeader: Sendable, Hashable {
    /// The file format.
    public var format: ImageFormat

    /// The number of pixels in a row, as it is stored.
    public var width: Int

    /// The number of rows, as they are stored.
    public var height: Int

    /// The number of bits of each component; pixels of more than 8 are given with 8.
    public var bitsPerComponent: Int

    /// The colour model of the file; pixels are always given in RGB.
    public var colorSpace: ImageColorSpace

    /// Whether a pixel may be transparent.
    public var hasAlpha: Bool

    /// How the stored rows have to be turned to be shown upright.
    public var orientation: ImageOrientation

    /// The frames in their order, one for a picture that does not move.
    public var frames: [ImageFrame]

    /// How often an animation is played; nil is without end.
    public var loopCount: Int?

    /// Creates a header.
    ///
    /// - Parameters:
    ///   - format: The file format.
    ///   - width: The number of pixels in a row.
    ///   - height: The number of rows.
    ///   - bitsPerComponent: The number of bits of each component.
    ///   - colorSpace: The colour model of the file.
    ///   - hasAlpha: Whether a pixel may be transparent.
    ///   - orientation: How the stored rows have to be turned.
    ///   - frames: The frames in their order.
    ///   - loopCount: How often an animation is played; nil is without end.
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

    /// The layout that inflation gives: opaque pixels with an unused byte in front, others multiplied with their alpha.
    public var naturalLayout: PixelLayout { self.hasAlpha ? .premultipliedFirst : .skipFirst }
}

/// The colour model of a picture's file.
public enum ImageColorSpace: String, Sendable, Hashable, Codable {
    /// One component, black to white.
    case gray
    /// Red, green and blue, or what is converted to them: YCbCr, a palette.
    case rgb
    /// Cyan, magenta, yellow and black.
    case cmyk
}

/// One frame of a picture.
public struct ImageFrame: Sendable, Hashable {
    /// How long the frame is shown, as the file says; zero for a picture that does not move.
    public var duration: Duration

    /// Creates a frame.
    ///
    /// - Parameter duration: How long the frame is shown.
    public init(duration: Duration = .zero) {
        self.duration = duration
    }
}
