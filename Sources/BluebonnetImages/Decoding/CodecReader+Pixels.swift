// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import CImageCodecs
internal import FoundationEssentials

extension CodecReader {
    /// Parses the header of a file.
    static func header(of data: Data, as format: ImageFormat, limits: ImageLimits) throws(ImageError) -> ImageHeader {
        try data.withUnsafeBytes { bytes in
            Result { () throws(ImageError) in
                let reader = try CodecReader(format, bytes, limits: limits)
                return try reader.header(format, ImageOrientation.find(in: bytes, format), limits)
            }
        }.get()
    }

    /// Decodes frames of a file.
    static func pixels(
        of data: Data,
        as format: ImageFormat,
        request: ImageDecodingRequest,
        limits: ImageLimits
    ) throws -> [ImagePixels] {
        try data.withUnsafeBytes { bytes in
            let reader = try CodecReader(format, bytes, limits: limits)
            try limits.check(width: reader.size.width, height: reader.size.height)
            if reader.info.frame_count > 1 { return try reader.frames(request, format, limits) }
            return [try reader.picture(request, format, limits)]
        }
    }

    private func header(
        _ format: ImageFormat,
        _ orientation: ImageOrientation,
        _ limits: ImageLimits
    ) throws(ImageError) -> ImageHeader {
        try limits.check(width: self.size.width, height: self.size.height)
        let frameCount = Int(self.info.frame_count)
        let colorSpace: ImageColorSpace =
            switch self.info.color_space {
            case BLUEBONNET_IMAGE_GRAY: .gray
            case BLUEBONNET_IMAGE_CMYK: .cmyk
            default: .rgb
            }
        return ImageHeader(
            format: format,
            width: self.size.width,
            height: self.size.height,
            bitsPerComponent: Int(self.info.bits_per_component),
            colorSpace: colorSpace,
            hasAlpha: self.info.has_alpha != 0,
            orientation: orientation,
            frames: frameCount == 1
                ? [ImageFrame()] : (0..<frameCount).map { ImageFrame(duration: self.frameDuration($0)) },
            loopCount: frameCount == 1 ? 1 : (self.info.loop_count == 0 ? nil : Int(self.info.loop_count))
        )
    }

    // MARK: Pixels

    private func picture(
        _ request: ImageDecodingRequest,
        _ format: ImageFormat,
        _ limits: ImageLimits
    ) throws -> ImagePixels {
        let size = request.size(width: self.size.width, height: self.size.height)
        let output = size == self.size ? self.info : self.scale(toward: max(size.width, size.height))
        let (width, height) = (Int(output.output_width), Int(output.output_height))
        if (width, height) == size { return try self.whole(output, format, limits) }
        return try self.shrunk(to: size, output, format, limits)
    }

    /// Decodes all rows.
    private func whole(
        _ output: bluebonnet_image_info,
        _ format: ImageFormat,
        _ limits: ImageLimits
    ) throws -> ImagePixels {
        let (width, height) = (Int(output.output_width), Int(output.output_height))
        try limits.check(width: width, height: height, frames: 1)
        let bytes = try [UInt8](unsafeUninitializedCapacity: width * height * 4) { target, count in
            guard let start = target.baseAddress else { return }
            for rows in output.bands {
                try self.read(rows.count, into: start + rows.lowerBound * width * 4, format)
            }
            count = width * height * 4
        }
        return ImagePixels(checkedWidth: width, height: height, bytes: bytes)
    }

    /// Decodes a few rows at a time and scales them down at once: the memory used is that of the result and of one
    /// band.
    private func shrunk(
        to size: (width: Int, height: Int),
        _ output: bluebonnet_image_info,
        _ format: ImageFormat,
        _ limits: ImageLimits
    ) throws -> ImagePixels {
        let (width, height) = (Int(output.output_width), Int(output.output_height))
        let bands = output.bands
        let bandHeight = bands.first?.count ?? 0
        try limits.check(width: width, height: bandHeight, frames: 1)
        var shrinker = RowShrinker(from: (width, height), to: size)
        var band = [UInt8](repeating: 0, count: width * bandHeight * 4)
        for rows in bands {
            try band.withUnsafeMutableBufferPointer { band in
                guard let start = band.baseAddress else { return }
                try self.read(rows.count, into: start, format)
            }
            for row in 0..<rows.count { shrinker.add(band[row * width * 4..<(row + 1) * width * 4]) }
        }
        return shrinker.pixels
    }

    /// Decodes frames of an animation, each of which is drawn over the previous ones.
    private func frames(
        _ request: ImageDecodingRequest,
        _ format: ImageFormat,
        _ limits: ImageLimits
    ) throws -> [ImagePixels] {
        let (width, height) = self.size
        try limits.check(width: width, height: height, frames: 1)
        var frames: [ImagePixels] = []
        for frame in 0..<request.frames.upperBound {
            let bytes = try [UInt8](unsafeUninitializedCapacity: width * height * 4) { target, count in
                guard let start = target.baseAddress else { return }
                try self.readFrame(into: start, format)
                count = width * height * 4
            }
            guard request.frames.contains(frame) else { continue }
            frames.append(try ImagePixels(checkedWidth: width, height: height, bytes: bytes).shrunk(for: request))
        }
        return frames
    }
}

extension bluebonnet_image_info {
    /// The rows in groups that can be read at once, of about 64 if the format allows it.
    fileprivate var bands: [Range<Int>] {
        let height = Int(self.output_height)
        let unit = max(Int(self.rows_at_once), 1)
        let step = unit >= 64 ? unit : unit * (64 / unit)
        return stride(from: 0, to: height, by: step).map { $0..<min($0 + step, height) }
    }
}
