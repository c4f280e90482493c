// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CZlib
import NIOCore

/// Undoes gzip and deflate (RFC 9110 section 8.4.1) in pieces, and refuses what expands beyond its limits.
///
/// Input is given with ``feed(_:)``, output taken with ``next()``, one piece at a time: however much a few bytes expand to, no more
/// than one piece is made before somebody wants it. Lives on one event loop.
final class Inflater {
    enum Coding: Equatable {
        case gzip
        case deflate
    }

    /// The most bytes of one piece of output.
    static let pieceSize = 64 * 1024
    /// The decoded bytes below which no ratio is too high: small texts of one letter are common and harmless.
    static let ratioFloor: Int64 = 4 * 1024 * 1024

    private let coding: Coding
    private let limits: Limits
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = ByteBuffer()
    private var isStarted = false
    private var isAtEnd = false
    private(set) var encodedByteCount: Int64 = 0
    private(set) var decodedByteCount: Int64 = 0

    init(_ coding: Coding, limits: Limits) {
        self.coding = coding
        self.limits = limits
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
    }

    deinit {
        if self.isStarted { inflateEnd(self.stream) }
        self.stream.deinitialize(count: 1)
        self.stream.deallocate()
    }

    /// Gives encoded bytes; what was given before must have been used up.
    func feed(_ bytes: ByteBuffer) {
        self.encodedByteCount += Int64(bytes.readableBytes)
        self.input = bytes
    }

    /// The next piece of decoded bytes.
    ///
    /// - Returns: At least one byte; nil when more input is needed.
    /// - Throws: An error if the bytes are corrupt or expand too much.
    func next() throws(TransportError) -> ByteBuffer? {
        while self.input.readableBytes > 0 {
            if self.isAtEnd { try self.startNextMember() }
            if !self.isStarted { try self.start() }
            let piece = try self.inflatePiece()
            if piece.readableBytes > 0 {
                try self.count(piece.readableBytes)
                return piece
            }
        }
        return nil
    }

    /// Checks that the encoded data was complete.
    func finish() throws(TransportError) {
        guard self.encodedByteCount == 0 || self.isAtEnd else {
            throw Self.failure("the compressed reply ends before its data does")
        }
    }

    private func start() throws(TransportError) {
        // 15 is the largest window; 16 more asks for a gzip header, a minus sign for none at all.
        var windowBits: CInt = 15
        switch self.coding {
        case .gzip: windowBits += 16
        case .deflate: if !self.looksLikeZlib { windowBits = -15 }
        }
        guard bluebonnet_inflate_init(self.stream, windowBits) == Z_OK else {
            throw Self.failure("zlib could not be started")
        }
        self.isStarted = true
    }

    /// Whether the data has the header of RFC 1950, as "deflate" should; some servers have always sent RFC 1951 without it.
    private var looksLikeZlib: Bool {
        let bytes = self.input.readableBytesView.prefix(2)
        guard let first = bytes.first, bytes.count == 2, let second = bytes.last else {
            return self.input.readableBytesView.first == 0x78
        }
        return first & 0x0F == 8 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
    }

    /// A gzip file may have several members, one behind the other (RFC 1952 section 2.2).
    private func startNextMember() throws(TransportError) {
        guard self.coding == .gzip, self.input.readableBytesView.first == 0x1F, inflateReset(self.stream) == Z_OK else {
            throw Self.failure("the compressed reply has bytes behind its end")
        }
        self.isAtEnd = false
    }

    private func inflatePiece() throws(TransportError) -> ByteBuffer {
        var piece = ByteBufferAllocator().buffer(capacity: Self.pieceSize)
        var result = Z_OK
        self.input.readWithUnsafeMutableReadableBytes { source in
            let room = Self.pieceSize
            piece.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { target in
                self.stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
                self.stream.pointee.avail_in = UInt32(clamping: source.count)
                self.stream.pointee.next_out = target.bindMemory(to: UInt8.self).baseAddress
                self.stream.pointee.avail_out = UInt32(room)
                result = inflate(self.stream, Z_NO_FLUSH)
                return room - Int(self.stream.pointee.avail_out)
            }
            return source.count - Int(self.stream.pointee.avail_in)
        }
        switch result {
        case Z_STREAM_END: self.isAtEnd = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw Self.failure("the compressed reply is corrupt")
        }
        return piece
    }

    private func count(_ byteCount: Int) throws(TransportError) {
        self.decodedByteCount += Int64(byteCount)
        if let limit = self.limits.maximumDecodedByteCount, self.decodedByteCount > limit {
            throw Self.failure("the compressed reply expands to more than \(limit) bytes")
        }
        let (allowed, overflow) = self.encodedByteCount.multipliedReportingOverflow(
            by: Int64(self.limits.maximumDecodingRatio)
        )
        if self.decodedByteCount > Self.ratioFloor, !overflow, self.decodedByteCount > allowed {
            throw Self.failure(
                "the compressed reply expands to more than \(self.limits.maximumDecodingRatio) times its size"
            )
        }
    }

    private static func failure(_ reason: String) -> TransportError {
        TransportError(.decompressionFailed, phase: .body, reason: reason, isRequestSent: true)
    }
}
