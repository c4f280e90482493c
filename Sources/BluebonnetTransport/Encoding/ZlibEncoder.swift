// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Encodes bytes with the system's zlib at its default level.
package final class ZlibEncoder: ContentEncoder {
    /// The container format of the encoded bytes.
    package enum Format {
        /// One gzip member (RFC 1952).
        case gzip
        /// The zlib format (RFC 1950), which HTTP calls `deflate` (RFC 9110 section 8.4.1.2).
        case zlib

        /// 15 is the largest window; adding 16 writes a gzip header.
        fileprivate var windowBits: Int32 { self == .gzip ? 15 + 16 : 15 }
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private var isStarted = false

    package private(set) var isComplete = false

    package init(_ format: Format) {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        self.isStarted = bluebonnet_deflate_init(self.stream, format.windowBits) == Z_OK
    }

    deinit {
        if self.isStarted { deflateEnd(self.stream) }
        self.stream.deinitialize(count: 1)
        self.stream.deallocate()
    }

    package func encode(
        _ source: UnsafeRawBufferPointer,
        _ mode: EncodingMode,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> EncodingProgress {
        guard self.isStarted else { throw .unencodable("zlib") }
        guard !self.isComplete else { return EncodingProgress() }
        let (input, room) = (UInt32(clamping: source.count), UInt32(clamping: target.count))
        self.stream.pointee.next_in = UnsafeMutableRawPointer(mutating: source.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_in = input
        self.stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_out = room
        let isAll = Int(input) == source.count
        switch CZlib.deflate(self.stream, isAll ? mode.zlibFlush : Z_NO_FLUSH) {
        case Z_STREAM_END: self.isComplete = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw .unencodable("zlib")
        }
        return EncodingProgress(
            readCount: Int(input - self.stream.pointee.avail_in),
            writtenCount: Int(room - self.stream.pointee.avail_out),
            // The library's rule: a flush is complete if it leaves space.
            isFlushed: isAll && self.stream.pointee.avail_out > 0
        )
    }

    /// Encodes bytes in memory in the zlib format.
    ///
    /// - Parameter bytes: The bytes to encode; up to 1 GiB.
    /// - Returns: The encoded bytes; nil if there are too many, or if zlib cannot allocate memory.
    package static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= 1 << 30 else { return nil }
        let encoder = ZlibEncoder(.zlib)
        let capacity = Int(clamping: compressBound(uLong(bytes.count)))
        do {
            let encoded = try [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
                let step = try bytes.withUnsafeBytes {
                    try encoder.encode($0, .finishing, into: UnsafeMutableRawBufferPointer(target))
                }
                count = step.writtenCount
            }
            return encoder.isComplete ? encoded : nil
        } catch {
            return nil
        }
    }
}

extension EncodingMode {
    fileprivate var zlibFlush: Int32 {
        switch self {
        case .keeping: Z_NO_FLUSH
        case .flushing: Z_SYNC_FLUSH
        case .finishing: Z_FINISH
        }
    }
}
