// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Synchronization

/// The file of an image, and what is needed to decode it.
struct ImageFile: Sendable {
    let data: Data
    let decoder: any ImageDecoder
    let limits: ImageLimits
}

/// The storage shared by copies of an image: the file, and the last decoded pixels.
final class ImageStorage: Sendable {
    private struct Kept {
        var first: Int
        var frames: [ImagePixels]
    }

    let file: ImageFile?
    let header: ImageHeader
    private let kept: Mutex<Kept?>
    /// Decoding is serialized: a second caller finds the pixels.
    private let turn = DecodingPool(limit: 1)
    private let pool: DecodingPool

    init(_ file: ImageFile, _ header: ImageHeader, pool: DecodingPool = .shared) {
        self.file = file
        self.header = header
        self.kept = Mutex(nil)
        self.pool = pool
    }

    init(_ pixels: ImagePixels, _ header: ImageHeader, pool: DecodingPool = .shared) {
        self.file = nil
        self.header = header
        self.kept = Mutex(Kept(first: 0, frames: [pixels]))
        self.pool = pool
    }

    var isInflated: Bool { self.kept.withLock { $0 != nil } }

    var largestByteCount: Int {
        let kept = self.kept.withLock { $0?.frames.reduce(0) { $0 + $1.bytes.count } ?? 0 }
        guard let file = self.file else { return kept }
        // An animation may keep as many frames as fit.
        let one = self.header.width * self.header.height * 4
        let frameCount = min(max(file.limits.keptByteCount, 0) / one, self.header.frames.count)
        return file.data.count + max(frameCount * one, kept)
    }

    /// Returns frames in a layout, from memory or decoded.
    func pixels(_ frames: Range<Int>, _ layout: PixelLayout?) async throws -> [ImagePixels] {
        guard !frames.isEmpty, frames.lowerBound >= 0, frames.upperBound <= self.header.frames.count else {
            throw ImageError(.noSuchFrame, reason: "the picture has \(self.header.frames.count) frames")
        }
        let layout = layout ?? self.header.naturalLayout
        if let found = self.find(frames, layout, mayConvert: false) { return found }
        return try await self.turn.run {
            try await self.pool.run {
                if let found = self.find(frames, layout, mayConvert: true) { return found }
                return try self.decode(frames, layout)
            }
        }
    }

    /// Returns a smaller image; it is decoded anew, so that the large one is never in memory if the format allows that.
    func shrunk(to longestSide: Int) async throws -> ImagePixels {
        let request = ImageDecodingRequest(longestSide: longestSide)
        return try await self.pool.run {
            if let found = self.find(0..<1, .rgba, mayConvert: true) { return try found[0].shrunk(for: request) }
            guard let file = self.file else { throw Self.noFile }
            let pixels = try file.decoder.pixels(
                of: file.data,
                header: self.header,
                request: request,
                limits: file.limits
            )
            guard let pixels = pixels.first else { throw Self.noFile }
            // A decoder may return more than requested.
            return try pixels.converted(to: .rgba).shrunk(for: request)
        }
    }

    /// Decodes on the current thread, and keeps the pixels whatever their size; if the task is cancelled, the image is
    /// unchanged.
    func inflate() throws(ImageError) {
        do {
            if self.isInflated { return }
            try self.decode(0..<1, self.header.naturalLayout, keepsAll: true)
        } catch let error as ImageError {
            throw error
        } catch is CancellationError {
            return
        } catch {
            throw ImageError(.malformed, reason: "the picture could not be decoded", underlying: error)
        }
    }

    // MARK: Kept pixels

    private static let noFile = ImageError(.malformed, reason: "the decoder gave no pixels")

    @discardableResult
    private func decode(_ frames: Range<Int>, _ layout: PixelLayout, keepsAll: Bool = false) throws -> [ImagePixels] {
        guard let file = self.file else { throw Self.noFile }
        var pixels: [ImagePixels]
        var first = frames.lowerBound
        if let more = self.framesAhead(of: frames, file.limits),
            let decoded = try self.decodeAhead(more, file)
        {
            (pixels, first) = (decoded, more.lowerBound)
        } else {
            pixels = try self.decode(frames, file)
        }
        for index in pixels.indices { pixels[index].convert(to: layout) }
        let byteCount = pixels.reduce(0) { $0 + $1.bytes.count }
        if keepsAll || byteCount <= file.limits.keptByteCount {
            self.kept.withLock { $0 = Kept(first: first, frames: pixels) }
        }
        return Array(pixels[frames.lowerBound - first..<frames.upperBound - first])
    }

    private func decode(_ frames: Range<Int>, _ file: ImageFile) throws -> [ImagePixels] {
        let request = ImageDecodingRequest(frames: frames)
        let pixels = try file.decoder.pixels(of: file.data, header: self.header, request: request, limits: file.limits)
        guard pixels.count == frames.count else { throw Self.noFile }
        return pixels
    }

    /// Decodes more frames than were asked for; nil if that fails, for example because a later one is damaged.
    private func decodeAhead(_ frames: Range<Int>, _ file: ImageFile) throws -> [ImagePixels]? {
        do {
            return try self.decode(frames, file)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Returns the frames to decode where a call continues the previous one: as many as may be kept.
    ///
    /// Every decoding starts at the first frame: an animation that is shown frame by frame would take quadratic time.
    private func framesAhead(of frames: Range<Int>, _ limits: ImageLimits) -> Range<Int>? {
        guard let kept = self.kept.withLock({ $0 }), kept.first + kept.frames.count == frames.lowerBound else {
            return nil
        }
        let count = self.header.frames.count
        let capacity = min(limits.keptByteCount, limits.decodedByteCount) / (self.header.width * self.header.height * 4)
        if count <= capacity { return 0..<count }
        return capacity > frames.count ? frames.lowerBound..<min(frames.lowerBound + capacity, count) : nil
    }

    /// Returns the kept pixels, if they are those of the frames.
    private func find(_ frames: Range<Int>, _ layout: PixelLayout, mayConvert: Bool) -> [ImagePixels]? {
        guard let kept = self.kept.withLock({ $0 }) else { return nil }
        guard kept.first <= frames.lowerBound, frames.upperBound <= kept.first + kept.frames.count else { return nil }
        let found = Array(kept.frames[frames.lowerBound - kept.first..<frames.upperBound - kept.first])
        let isSame = found.allSatisfy { $0.layout == layout }
        if isSame { return found }
        // Premultiplied colors cannot be converted to straight alpha without loss: if there is a file, it is decoded
        // again.
        let isLossless = found.allSatisfy { $0.layout == .rgba || !self.header.hasAlpha }
        guard mayConvert, isLossless || self.file == nil else { return nil }
        return found.map { $0.converted(to: layout) }
    }
}
