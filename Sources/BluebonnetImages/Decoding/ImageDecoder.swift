// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Decodes images: the headers when they arrive, the pixels on request.
///
/// Both functions are synchronous, may compute for as long as they need and are called from any thread, concurrently.
/// They must check the limits before they allocate.
public protocol ImageDecoder: Sendable {
    /// The supported formats.
    var formats: Set<ImageFormat> { get }

    /// Detects the format of a file; with ``ImageFormat/detect(_:)`` unless implemented.
    ///
    /// - Parameter data: The file.
    /// - Returns: The format; nil if it is unknown.
    func format(of data: Data) -> ImageFormat?

    /// Parses the properties of an image without decoding its pixels.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - format: Its format.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The header; its size and its frames must be within the limits.
    /// - Throws: ``ImageError``.
    func header(of data: Data, as format: ImageFormat, limits: ImageLimits) throws(ImageError) -> ImageHeader

    /// Decodes pixels, in any layout.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - header: The result of ``header(of:as:limits:)``.
    ///   - request: The frames and their size.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The frames in order.
    /// - Throws: ``ImageError``; `CancellationError` as soon as it notices that the task is cancelled.
    func pixels(
        of data: Data,
        header: ImageHeader,
        request: ImageDecodingRequest,
        limits: ImageLimits
    ) throws -> [ImagePixels]
}

extension ImageDecoder {
    public func format(of data: Data) -> ImageFormat? { ImageFormat.detect(data) }
}

extension ImageDecoder where Self == SystemImageDecoder {
    /// This library's decoder, which uses the system's libraries.
    public static var system: SystemImageDecoder { SystemImageDecoder() }
}

/// The frames of an image to decode, and their size.
public struct ImageDecodingRequest: Sendable, Hashable {
    /// The frames, which exist.
    public var frames: Range<Int>

    /// The longer side of the result in pixels; nil for the image's own size.
    ///
    /// An image is never enlarged.
    public var longestSide: Int?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - frames: The frames.
    ///   - longestSide: The longer side of the result in pixels.
    public init(frames: Range<Int> = 0..<1, longestSide: Int? = nil) {
        self.frames = frames
        self.longestSide = longestSide
    }

    /// Returns the size of the result.
    ///
    /// - Parameters:
    ///   - width: The number of pixels in a row of the image.
    ///   - height: The number of rows of the image.
    /// - Returns: Width and height, each at least 1.
    public func size(width: Int, height: Int) -> (width: Int, height: Int) {
        let longest = max(width, height)
        guard let side = self.longestSide.map({ max($0, 1) }), side < longest else { return (width, height) }
        return (max((width * side + longest / 2) / longest, 1), max((height * side + longest / 2) / longest, 1))
    }
}
