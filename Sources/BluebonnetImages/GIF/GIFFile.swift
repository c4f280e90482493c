// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A GIF file: its frames are located when it is opened, and decoded on request.
struct GIFFile {
    let bytes: ImageBytes
    private(set) var width: Int
    private(set) var height: Int
    private(set) var frames: [GIFFrame] = []
    private var loopCount: Int? = 1

    init(_ bytes: ImageBytes, limits: ImageLimits) throws(ImageError) {
        self.bytes = bytes
        let signature = try bytes.slice(0, 6)
        guard signature.elementsEqual("GIF87a".utf8) || signature.elementsEqual("GIF89a".utf8) else {
            throw ImageError(.malformed, reason: "the picture is not a GIF")
        }
        self.width = try bytes.short(at: 6)
        self.height = try bytes.short(at: 8)
        // A screen without pixels gets those of the first frame.
        try limits.check(width: max(self.width, 1), height: max(self.height, 1))
        let flags = try bytes.byte(at: 10)
        let palette = Self.palette(flags, at: 13)
        try self.readBlocks(from: 13 + (palette?.count ?? 0) * 3, palette, limits)
        guard !self.frames.isEmpty else { throw ImageError(.malformed, reason: "the GIF has no frames") }
    }

    var header: ImageHeader {
        let isAnimated = self.frames.count > 1
        return ImageHeader(
            format: .gif,
            width: self.width,
            height: self.height,
            hasAlpha: self.hasAlpha,
            frames: self.frames.map { ImageFrame(duration: isAnimated ? .milliseconds($0.delay * 10) : .zero) },
            loopCount: isAnimated ? self.loopCount : 1
        )
    }

    /// Whether a pixel of any frame may be transparent.
    ///
    /// Restoring the screen before the first frame makes it transparent again. Restoring it before a later frame does
    /// not: that screen is opaque if the first frame is kept.
    private var hasAlpha: Bool {
        guard let first = self.frames.first else { return true }
        let coversAll = first.left == 0 && first.top == 0 && first.width >= self.width && first.height >= self.height
        return !coversAll
            || self.frames.contains { $0.transparentIndex != nil }
            || self.frames.count > 1 && first.disposal == .restore
            || self.frames.dropLast().contains { $0.disposal == .clear }
    }

    private static func palette(_ flags: UInt8, at offset: Int) -> (offset: Int, count: Int)? {
        flags & 0x80 == 0 ? nil : (offset, 2 << Int(flags & 7))
    }

    // MARK: Blocks

    private mutating func readBlocks(
        from start: Int,
        _ palette: (offset: Int, count: Int)?,
        _ limits: ImageLimits
    ) throws(ImageError) {
        var offset = start
        var frame = GIFFrame()
        // Some programs omit the trailer.
        while offset < self.bytes.count || self.frames.isEmpty {
            switch try self.bytes.byte(at: offset) {
            case 0x21:
                try self.readExtension(at: offset, into: &frame)
                offset = try self.end(ofBlocksAt: offset + 2)
            case 0x2C:
                try limits.check(frameCount: self.frames.count + 1)
                offset = try self.readFrame(at: offset, frame, palette, limits)
                frame = GIFFrame()
            case 0x3B:
                return
            case 0x00:
                // Padding, which some programs write between blocks.
                offset += 1
            default:
                // What follows the frames in place of a trailer is ignored, as browsers do.
                guard self.frames.isEmpty else { return }
                throw ImageError(.malformed, reason: "the GIF has a block of no known kind")
            }
        }
    }

    private mutating func readExtension(at offset: Int, into frame: inout GIFFrame) throws(ImageError) {
        let length = try self.bytes.byte(at: offset + 2)
        switch try self.bytes.byte(at: offset + 1) {
        case 0xF9 where length >= 4:
            let flags = try self.bytes.byte(at: offset + 3)
            frame.disposal = GIFFrame.Disposal(rawValue: Int(flags >> 2 & 7)) ?? .keep
            frame.delay = try self.bytes.short(at: offset + 4)
            if flags & 1 != 0 { frame.transparentIndex = try self.bytes.byte(at: offset + 6) }
        case 0xFF where length == 11:
            let name = try self.bytes.slice(offset + 3, 11)
            let isLoop = name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8)
            guard isLoop, try self.bytes.byte(at: offset + 14) >= 3, try self.bytes.byte(at: offset + 15) == 1 else {
                return
            }
            let count = try self.bytes.short(at: offset + 16)
            // The file contains the number of repetitions after the first time.
            self.loopCount = count == 0 ? nil : count + 1
        default:
            break
        }
    }

    /// Parses the header of a frame, and returns the offset after its data.
    private mutating func readFrame(
        at offset: Int,
        _ properties: GIFFrame,
        _ palette: (offset: Int, count: Int)?,
        _ limits: ImageLimits
    ) throws(ImageError) -> Int {
        var frame = properties
        frame.left = try self.bytes.short(at: offset + 1)
        frame.top = try self.bytes.short(at: offset + 3)
        frame.width = try self.bytes.short(at: offset + 5)
        frame.height = try self.bytes.short(at: offset + 7)
        if self.frames.isEmpty { try self.fitScreen(to: &frame, limits) }
        let flags = try self.bytes.byte(at: offset + 9)
        frame.isInterlaced = flags & 0x40 != 0
        let own = Self.palette(flags, at: offset + 10)
        frame.palette = own ?? palette
        frame.dataOffset = offset + 10 + (own?.count ?? 0) * 3
        self.frames.append(frame)
        return try self.end(ofBlocksAt: frame.dataOffset + 1)
    }

    /// Replaces a screen that is smaller than the first frame, or has no pixels, with one of its size, as browsers do.
    private mutating func fitScreen(to frame: inout GIFFrame, _ limits: ImageLimits) throws(ImageError) {
        guard self.width < frame.width || self.height < frame.height else {
            return try limits.check(width: self.width, height: self.height)
        }
        (self.width, self.height) = (frame.width, frame.height)
        (frame.left, frame.top) = (0, 0)
        try limits.check(width: self.width, height: self.height)
    }

    private func end(ofBlocksAt start: Int) throws(ImageError) -> Int {
        var offset = start
        while true {
            let length = Int(try self.bytes.byte(at: offset))
            offset += 1 + length
            if length == 0 { return offset }
        }
    }
}
