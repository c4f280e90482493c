// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Image {
    /// Returns the pixels of a frame, decoded unless they are in memory.
    ///
    /// Decoding runs off the caller's executor, with limited concurrency. Cancelling the task ends the wait, and the
    /// decoding at its next row; WebP, AVIF and HEIC are decoded to the end of a frame.
    ///
    /// - Parameters:
    ///   - frame: The index of the frame, from 0. The frames before it are decoded too, because frames are drawn over
    ///     each other.
    ///   - layout: The layout of the bytes; ``ImageHeader/naturalLayout`` unless given. Components of more than 8 bits
    ///     are rounded.
    /// - Returns: The pixels as they are stored: ``orientation`` is not applied.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func pixels(frame: Int = 0, layout: PixelLayout? = nil) async throws -> ImagePixels {
        guard self.frames.indices.contains(frame) else {
            throw ImageError(.noSuchFrame, reason: "the picture has \(self.frames.count) frames")
        }
        return try await self.storage.pixels(frame..<frame + 1, layout)[0]
    }

    /// Returns the pixels of several frames, decoded in one pass.
    ///
    /// - Parameters:
    ///   - frames: The indices of the frames; their pixels must fit into ``ImageLimits/decodedByteCount``.
    ///   - layout: The layout of the bytes; ``ImageHeader/naturalLayout`` unless given.
    /// - Returns: The pixels of each frame.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func pixels(frames: Range<Int>, layout: PixelLayout? = nil) async throws -> [ImagePixels] {
        try await self.storage.pixels(frames, layout)
    }

    /// Returns a smaller image of the first frame, with the same orientation and scale.
    ///
    /// Scaling happens during decoding: for a JPEG in the transform of its blocks, for a WebP in its library; the rows
    /// of other formats are averaged while they are decoded. An interlaced PNG, an AVIF, a HEIC and the formats without
    /// a library are decoded completely first. An image is never enlarged.
    ///
    /// - Parameter longestSide: The longer side of the result in pixels, at least 1.
    /// - Returns: The image, with its pixels in memory.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func thumbnail(longestSide: Int) async throws -> Image {
        let pixels = try await self.storage.shrunk(to: max(longestSide, 1))
        return self.made(of: pixels.converted(to: self.header.hasAlpha ? .rgba : .skipFirst), self.orientation)
    }

    /// Returns the image upright: the first frame, transformed according to ``orientation``.
    ///
    /// - Returns: The image with the orientation ``ImageOrientation/up``; itself if it is upright.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func oriented() async throws -> Image {
        if self.orientation == .up { return self }
        let pixels = try await self.pixels(layout: self.header.hasAlpha ? .rgba : .skipFirst)
        return self.made(of: await Self.turned(pixels, self.orientation), .up)
    }

    /// Returns the image with the pixels of its first frame in memory, in their ``ImageHeader/naturalLayout``.
    ///
    /// - Returns: The image.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func inflated() async throws -> Image {
        _ = try await self.pixels()
        return self
    }

    @concurrent
    private static func turned(_ pixels: ImagePixels, _ orientation: ImageOrientation) async -> ImagePixels {
        pixels.turned(by: orientation)
    }

    private func made(of pixels: ImagePixels, _ orientation: ImageOrientation) -> Image {
        Image(pixels: pixels, scale: self.scale, orientation: orientation, format: self.format)
    }
}
