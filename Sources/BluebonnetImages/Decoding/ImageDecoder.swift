// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Reads pictures: the headers when they arrive, the pixels when somebody asks for them.
///
/// Both functions are synchronous, may use the processor for as long as they need and are called from any thread, several at a time. They must
/// check the limits before they allocate.
public protocol ImageDecoder: Sendable {
    /// The formats that can be read.
    var formats: Set<ImageFormat> { get }

    /// Finds the format of a file; by ``ImageFormat/detect(_:)`` unless implemented.
    ///
    /// - Parameter data: The file.
    /// - Returns: The format; nil if it is not known.
    func format(of data: Data) -> ImageFormat?

    /// Reads what can be said about a picture without decoding its pixels.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - format: Its format.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The header; its size and its frames are within the limits.
    /// - Throws: ``ImageError``.
    func header(of data: Data, as format: ImageFormat, limits: ImageLimits) throws(ImageError) -> ImageHeader

    /// Decodes pixels, with any layout.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - header: What ``header(of:as:limits:)`` said about it.
    ///   - request: Which frames, and how large.
    ///   - limits: The limits beyond which it is refused.
    /// - Returns: The frames in their order.
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
    /// The decoder of this library, with the libraries of the system.
    public static var system: SystemImageDecoder { SystemImageDecoder() }
}

/// Which frames of a picture are decoded, and how large.
public struct ImageDecodingRequest: Sendable, Hashable {
    /// The frames; they exist.
    public var frames: Range<Int>

    /// The longer side of the result in pixels; nil for the picture's own size.
    ///
    /// A picture is never enlarged.
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

    /// The size of the result.
    ///
    /// - Parameters:
    ///   - width: The number of pixels in a row of the picture.
    ///   - height: The number of rows of the picture.
    /// - Returns: Width and height, each at least 1.
    public func size(width: Int, height: Int) -> (width: Int, height: Int) {
        let longest = max(width, height)
        guard let side = self.longestSide.map({ max($0, 1) }), side < longest else { return (width, height) }
        return (max((width * side + longest / 2) / longest, 1), max((height * side + longest / 2) / longest, 1))
    }
}
