// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A request body of ``PatternBytes`` that can be slow, fail, or declare a wrong length.
///
/// ```swift
/// let body = FakeBody(byteCount: 1 << 20, pause: .milliseconds(5)).body
/// ```
public struct FakeBody: TransportBodyReader {
    /// The number of bytes it returns.
    public var byteCount: Int64

    /// The declared length, the same as ``byteCount`` unless changed; nil for none.
    public var promisedByteCount: Int64?

    /// The maximum number of bytes per read: 64 KiB unless changed, at least 1.
    public var pieceByteCount: Int

    /// The duration of each read, for which the reading thread is blocked.
    public var pause: Duration

    /// The error of the read after the last byte; nil unless changed.
    public var failure: (any Error)?

    private var position: Int64 = 0

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes it returns.
    ///   - pieceByteCount: The maximum number of bytes per read.
    ///   - pause: The duration of each read.
    ///   - failure: The error of the read after the last byte.
    public init(byteCount: Int64, pieceByteCount: Int = 65536, pause: Duration = .zero, failure: (any Error)? = nil) {
        self.byteCount = max(0, byteCount)
        self.promisedByteCount = self.byteCount
        self.pieceByteCount = max(1, pieceByteCount)
        self.pause = pause
        self.failure = failure
    }

    /// The body for a transport; it is read from the first byte each time.
    public var body: TransportBody {
        .reader(length: self.promisedByteCount, isReplayable: true) { self }
    }

    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if self.pause > .zero { Self.block(for: self.pause) }
        let count = min(Int64(min(buffer.count, max(1, self.pieceByteCount))), self.byteCount - self.position)
        guard count > 0 else {
            if let failure { throw failure }
            return 0
        }
        var source = BodySource(pattern: self.position..<self.position + count)
        var filled = 0
        while let piece = source.next(upTo: buffer.count - filled) {
            piece.withUnsafeReadableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: bytes)
            }
            filled += piece.readableBytes
        }
        self.position += Int64(filled)
        return filled
    }

    /// Readers may block: the engine calls them on a thread pool, never on an event loop.
    private static func block(for pause: Duration) {
        let (seconds, attoseconds) = pause.components
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        while nanosleep(&time, &rest) != 0 && errno == EINTR { time = rest }
    }
}
