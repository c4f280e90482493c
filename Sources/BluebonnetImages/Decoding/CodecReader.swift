// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import CImageCodecs
internal import FoundationEssentials

/// An image that a system library decodes, row by row from the top.
struct CodecReader: ~Copyable {
    let info: bluebonnet_image_info
    private let reader: OpaquePointer

    /// Opens an image, whose bytes must outlive the reader.
    init(_ format: ImageFormat, _ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
        guard let codec = Self.codec(of: format) else { throw Self.unsupported(format) }
        var limits = bluebonnet_image_limits(
            pixel_count: UInt64(max(limits.pixelCount, 0)),
            working_byte_count: UInt64(max(limits.decodedByteCount, 0)),
            frame_count: UInt32(clamping: limits.frameCount),
            is_cancelled: { Task.isCancelled ? 1 : 0 }
        )
        var reader: OpaquePointer?
        var message = Message()
        let status = bluebonnet_image_open(
            codec,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            bytes.count,
            &limits,
            &reader,
            &message.bytes,
            message.bytes.count
        )
        guard let reader, status == BLUEBONNET_IMAGE_OK else { throw Self.error(status, format, message) }
        self.reader = reader
        self.info = bluebonnet_image_get_info(reader)
    }

    deinit { bluebonnet_image_close(self.reader) }

    /// Whether the library of a format is linked.
    static func isAvailable(_ format: ImageFormat) -> Bool {
        Self.codec(of: format).map { bluebonnet_image_is_available($0) != 0 } ?? false
    }

    var size: (width: Int, height: Int) { (Int(self.info.width), Int(self.info.height)) }

    func frameDuration(_ frame: Int) -> Duration {
        .milliseconds(bluebonnet_image_frame_milliseconds(self.reader, UInt32(clamping: frame)))
    }

    /// Requests a smaller image, and returns its size.
    func scale(toward longestSide: Int) -> bluebonnet_image_info {
        bluebonnet_image_scale(self.reader, UInt32(clamping: longestSide))
        return bluebonnet_image_get_info(self.reader)
    }

    /// Reads the next rows into a buffer with room for them.
    func read(_ rowCount: Int, into rows: UnsafeMutablePointer<UInt8>, _ format: ImageFormat) throws {
        var message = Message()
        let status = bluebonnet_image_read(
            self.reader,
            rows,
            UInt32(clamping: rowCount),
            &message.bytes,
            message.bytes.count
        )
        try Self.check(status, format, message)
    }

    /// Reads the next frame of an animation into a buffer with room for it.
    func readFrame(into rows: UnsafeMutablePointer<UInt8>, _ format: ImageFormat) throws {
        var message = Message()
        let status = bluebonnet_image_read_frame(self.reader, rows, &message.bytes, message.bytes.count)
        try Self.check(status, format, message)
    }

    // MARK: Errors

    /// The message of a library, which may contain bytes of the file.
    private struct Message {
        var bytes = [CChar](repeating: 0, count: 256)

        var text: String {
            let printable = self.bytes.prefix { $0 != 0 }.map {
                $0 >= 0x20 && $0 < 0x7F ? UInt8($0) : UInt8(ascii: "?")
            }
            return String(decoding: printable, as: UTF8.self)
        }
    }

    private static func check(_ status: bluebonnet_image_status, _ format: ImageFormat, _ message: Message) throws {
        if status == BLUEBONNET_IMAGE_OK { return }
        if status == BLUEBONNET_IMAGE_CANCELLED { throw CancellationError() }
        throw Self.error(status, format, message)
    }

    private static func error(
        _ status: bluebonnet_image_status,
        _ format: ImageFormat,
        _ message: Message
    ) -> ImageError {
        let reason = "the \(format) picture cannot be read: \(message.text)"
        return switch status {
        case BLUEBONNET_IMAGE_UNSUPPORTED where !Self.isAvailable(format): Self.unsupported(format)
        case BLUEBONNET_IMAGE_UNSUPPORTED: ImageError(.unsupported, reason: reason)
        case BLUEBONNET_IMAGE_LIMIT: ImageError(.limitExceeded, reason: reason)
        case BLUEBONNET_IMAGE_OUT_OF_MEMORY: ImageError(.outOfMemory, reason: reason)
        default: ImageError(.malformed, reason: reason)
        }
    }

    private static func unsupported(_ format: ImageFormat) -> ImageError {
        let advice: String
        switch format {
        case .jpeg, .png, .tiff, .webp: advice = "; switch the trait ImageCodecs of the package on"
        case .avif, .heic: advice = "; switch the trait HEIF of the package on"
        default: advice = "; give a decoder that reads it"
        }
        return ImageError(.unsupported, reason: "this build does not decode \(format)\(advice)")
    }

    private static func codec(of format: ImageFormat) -> bluebonnet_image_format? {
        switch format {
        case .jpeg: BLUEBONNET_IMAGE_JPEG
        case .png: BLUEBONNET_IMAGE_PNG
        case .webp: BLUEBONNET_IMAGE_WEBP
        case .tiff: BLUEBONNET_IMAGE_TIFF
        case .avif, .heic: BLUEBONNET_IMAGE_HEIF
        default: nil
        }
    }
}
