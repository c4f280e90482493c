// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Encodes bytes as one gzip member (RFC 1952), with the system's zlib at its usual level.
package final class GzipEncoder {
    /// What one step has done.
    package struct Step {
        package var readCount: Int
        package var writtenCount: Int
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private var isStarted = false

    /// Whether the last byte has been written.
    package private(set) var isComplete = false

    package init() {
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
        // 15 is the largest window; 16 more asks for a gzip header.
        self.isStarted = bluebonnet_deflate_init(self.stream, 15 + 16) == Z_OK
    }

    deinit {
        if self.isStarted { deflateEnd(self.stream) }
        self.stream.deinitialize(count: 1)
        self.stream.deallocate()
    }

    /// Encodes some bytes.
    ///
    /// - Parameters:
    ///   - source: The bytes; those that are not read have to be given again.
    ///   - isLast: Whether nothing follows them.
    ///   - target: Where the encoded bytes go; not empty.
    /// - Returns: How many were read and written.
    /// - Throws: ``TransportError/Code/bodyFailed`` if zlib has no memory.
    package func encode(
        _ source: UnsafeRawBufferPointer,
        isLast: Bool,
        into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> Step {
        guard self.isStarted else { throw Self.failure }
        guard !self.isComplete else { return Step(readCount: 0, writtenCount: 0) }
        let (input, room) = (UInt32(clamping: source.count), UInt32(clamping: target.count))
        self.stream.pointee.next_in = UnsafeMutableRawPointer(mutating: source.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_in = input
        self.stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        self.stream.pointee.avail_out = room
        let isAll = isLast && Int(input) == source.count
        switch deflate(self.stream, isAll ? Z_FINISH : Z_NO_FLUSH) {
        case Z_STREAM_END: self.isComplete = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw Self.failure
        }
        return Step(
            readCount: Int(input - self.stream.pointee.avail_in),
            writtenCount: Int(room - self.stream.pointee.avail_out)
        )
    }

    private static var failure: TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: "zlib cannot encode the body", isRequestSent: true)
    }
}
