// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Image {
    /// The pixels of a frame, decoded unless they are in memory.
    ///
    /// Decoding runs off the caller's executor, a few pictures at a time. Cancelling the task ends the wait, and the decoding at its next row; WebP, AVIF
    /// and HEIC are decoded to the end of a frame.
    ///
    /// - Parameters:
    ///   - frame: The number of the frame, from 0. Those before it are decoded, too, because they are drawn over each other.
    ///   - layout: How the bytes are laid out; ``ImageHeader/naturalLayout`` unless given. Components of more than 8 bits are rounded.
    /// - Returns: The pixels as they are stored: ``orientation`` is not applied.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func pixels(frame: Int = 0, layout: PixelLayout? = nil) async throws -> ImagePixels {
        guard self.frames.indices.contains(frame) else {
            throw ImageError(.noSuchFrame, reason: "The picture has \(self.frames.count) frames.")
        }
        return try await self.storage.pixels(frame..<frame + 1, layout)[0]
    }

    /// The pixels of several frames, decoded in one pass.
    ///
    /// - Parameters:
    ///   - frames: The numbers of the frames; their pixels must fit into ``ImageLimits/decodedByteCount``.
    ///   - layout: How the bytes are laid out; ``ImageHeader/naturalLayout`` unless given.
    /// - Returns: The pixels of each frame.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func pixels(frames: Range<Int>, layout: PixelLayout? = nil) async throws -> [ImagePixels] {
        try await self.storage.pixels(frames, layout)
    }

    /// A smaller picture of the first frame, with the same orientation and scale.
    ///
    /// The picture is decoded smaller: a JPEG by the transform of its blocks, a WebP by its library; rows of other formats are averaged while they
    /// are decoded. An interlaced PNG, an AVIF, a HEIC and the formats without a library are decoded whole before. A picture is never enlarged.
    ///
    /// - Parameter maxPixels: The longer side of the result in pixels, 1 at least.
    /// - Returns: The picture, its pixels in memory.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func thumbnail(maxPixels: Int) async throws -> Image {
        let pixels = try await self.storage.shrunk(to: max(maxPixels, 1))
        return self.made(of: pixels.converted(to: self.header.hasAlpha ? .rgba : .skipFirst), self.orientation)
    }

    /// The same picture upright: the first frame, with its rows and columns turned as ``orientation`` says.
    ///
    /// - Returns: The picture with the orientation ``ImageOrientation/up``; itself if it is upright.
    /// - Throws: ``ImageError``; `CancellationError` when the task is cancelled.
    public func oriented() async throws -> Image {
        if self.orientation == .up { return self }
        let pixels = try await self.pixels(layout: self.header.hasAlpha ? .rgba : .skipFirst)
        return self.made(of: await Self.turned(pixels, self.orientation), .up)
    }

    /// The same picture, with the pixels of its first frame in memory in their ``ImageHeader/naturalLayout``.
    ///
    /// - Returns: The picture.
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
