// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which an image is refused.
///
/// They are checked against the declarations of the file, before memory is allocated for it.
public struct ImageLimits: Sendable, Hashable, Codable {
    /// The maximum size of the file in bytes; 64 MiB unless set.
    public var byteCount: Int

    /// The maximum of width times height; 100,000,000 unless set.
    ///
    /// A side has at most 65,535 pixels in any case.
    public var pixelCount: Int

    /// The maximum number of frames of an animation; 4,096 unless set.
    public var frameCount: Int

    /// The maximum number of bytes that one call decodes, 4 bytes per pixel; 512 MiB unless set.
    ///
    /// It also limits the allocations of a system library, except libheif (AVIF and HEIC): libwebp allocates three
    /// pictures for an animation, and one for a still picture that is lossless or has alpha.
    public var decodedByteCount: Int

    /// The maximum number of bytes of decoded pixels that an ``Image`` keeps for the next call; 64 MiB unless set.
    public var keptByteCount: Int

    /// The longest supported side, regardless of the other limits.
    static let largestSide = 65_535

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - byteCount: The maximum size of the file in bytes.
    ///   - pixelCount: The maximum of width times height.
    ///   - frameCount: The maximum number of frames.
    ///   - decodedByteCount: The maximum number of bytes that one call decodes.
    ///   - keptByteCount: The maximum number of bytes of decoded pixels that an image keeps.
    public init(
        byteCount: Int = 64 << 20,
        pixelCount: Int = 100_000_000,
        frameCount: Int = 4_096,
        decodedByteCount: Int = 512 << 20,
        keptByteCount: Int = 64 << 20
    ) {
        self.byteCount = byteCount
        self.pixelCount = pixelCount
        self.frameCount = frameCount
        self.decodedByteCount = decodedByteCount
        self.keptByteCount = keptByteCount
    }

    /// Refuses a file that is too large.
    func check(byteCount: Int) throws(ImageError) {
        guard byteCount > self.byteCount else { return }
        throw ImageError(
            .limitExceeded,
            reason:
                "the picture has \(byteCount) bytes, the limit is \(self.byteCount); raise ImageLimits.byteCount to read it"
        )
    }

    /// Refuses a size of zero, or with too many pixels.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width > 0, height > 0 else { throw ImageError(.malformed, reason: "the picture has no pixels") }
        let isTooLong = width > Self.largestSide || height > Self.largestSide
        guard isTooLong || width * height > self.pixelCount else { return }
        let advice = isTooLong ? "" : "; raise ImageLimits.pixelCount to read it"
        throw ImageError(
            .limitExceeded,
            reason:
                "the picture declares \(width) × \(height) pixels, the limit is \(self.pixelCount), and \(Self.largestSide) a side\(advice)"
        )
    }

    /// Refuses an animation with too many frames.
    func check(frameCount: Int) throws(ImageError) {
        guard frameCount > self.frameCount else { return }
        throw ImageError(
            .limitExceeded,
            reason: "the picture has more than \(self.frameCount) frames; raise ImageLimits.frameCount to read it"
        )
    }

    /// Refuses to decode too much at once; the size of a frame has been checked before.
    func check(width: Int, height: Int, frames: Int) throws(ImageError) {
        let (byteCount, hasOverflown) = (width * height * 4).multipliedReportingOverflow(by: frames)
        guard hasOverflown || byteCount > self.decodedByteCount else { return }
        throw ImageError(
            .limitExceeded,
            reason:
                "the pixels take more than \(self.decodedByteCount) bytes; ask for a thumbnail or fewer frames, or raise "
                + "ImageLimits.decodedByteCount"
        )
    }
}
