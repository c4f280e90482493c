// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Decodes gzip (RFC 1952) and deflate (RFC 1950, or raw RFC 1951 without the zlib header) with the system's zlib.
final class ZlibDecoder: ContentDecoder {
    enum Format {
        case gzip
        case deflate
    }

    private let format: Format
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStarted = false
    /// The first byte of a deflate body, kept until the second byte shows which format it is.
    private var first: UInt8?
    private(set) var isComplete = false

    init(_ format: Format) {
        self.format = format
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
    }

    deinit {
        if self.isStarted { inflateEnd(self.stream) }
        self.stream.deinitialize(count: 1)
        self.stream.deallocate()
    }

    func decode(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress {
        guard let next = source.first else { return try self.inflate(source, into: target) }
        if self.isComplete { try self.startNextMember(next) }
        if !self.isStarted {
            if self.format == .deflate, self.first == nil, source.count == 1 {
                self.first = next
                return DecodingProgress(readCount: 1)
            }
            try self.start(self.first ?? next, self.first == nil ? source.dropFirst().first : next)
            if let first = self.first.take() {
                // The first byte contains no data in either format.
                let progress = try withUnsafeBytes(of: first) { (bytes) throws(TransportError) in
                    try self.inflate(bytes, into: target)
                }
                if progress.writtenCount > 0 { return DecodingProgress(writtenCount: progress.writtenCount) }
            }
        }
        return try self.inflate(source, into: target)
    }

    private func start(_ first: UInt8, _ second: UInt8?) throws(TransportError) {
        // 15 is the largest window; adding 16 requires a gzip header, a negative value means no header.
        let windowBits: CInt =
            switch self.format {
            case .gzip: 15 + 16
            case .deflate: Self.isZlibHeader(first, second ?? 0) ? 15 : -15
            }
        guard bluebonnet_inflate_init(self.stream, windowBits) == Z_OK else {
            throw .undecodable("zlib could not be started")
        }
        self.isStarted = true
    }

    /// Whether the data has the zlib header of RFC 1950, as "deflate" requires; some servers send raw RFC 1951 data
    /// instead.
    private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
    }

    /// Starts the next gzip member: a file may consist of several (RFC 1952 section 2.2).
    private func startNextMember(_ first: UInt8) throws(TransportError) {
        guard self.format == .gzip, first == 0x1F, inflateReset(self.stream) == Z_OK else { throw .bytesBehindBody }
        self.isComplete = false
    }

    private func inflate(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> DecodingProgress {
        guard self.isStarted, !self.isComplete else { return DecodingProgress() }
        let input = UInt32(clamping: source.count)
        let room = UInt32(clamping: target.count)
        self.stream.pointee.next_in = UnsafeMutableRawPointer(mutating: source.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_in = input
        self.stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_out = room
        switch CZlib.inflate(self.stream, Z_NO_FLUSH) {
        case Z_STREAM_END: self.isComplete = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw .corruptBody
        }
        return DecodingProgress(
            readCount: Int(input - self.stream.pointee.avail_in),
            writtenCount: Int(room - self.stream.pointee.avail_out)
        )
    }
}
