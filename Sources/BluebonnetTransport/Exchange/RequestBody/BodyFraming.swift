// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// How a request's body is delimited.
enum BodyFraming: Equatable {
    case none
    case fixed(Int64)
    case chunked

    /// Whether anything follows the head.
    var hasBody: Bool { self != .none && self != .fixed(0) }
}

extension TransportRequest {
    /// How the body is framed.
    var framing: BodyFraming {
        // Only the chunked coding has trailers (RFC 9112 section 7.1.2).
        if self.trailers != nil { return .chunked }
        if case .none = self.body {
            // RFC 9110 section 8.6: a method that defines content sends Content-Length: 0 if there is none.
            let expectsContent = self.method == .post || self.method == .put || self.method == .patch
            return expectsContent ? .fixed(0) : .none
        }
        return self.body.byteCount.map { .fixed($0) } ?? .chunked
    }
}

extension TransportBody {
    /// The length of the body in bytes; nil if it is unknown.
    var byteCount: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.readableBytes)
        case .reader(let length, _, _): length
        case .file(let file): file.byteCount
        }
    }

    /// Makes a reader of any body, also of one in memory.
    func makeAnyReader() throws -> any TransportBodyReader {
        if case .bytes(let bytes) = self { return BufferReader(bytes: bytes) }
        return try self.makeReader() ?? BufferReader(bytes: ByteBuffer())
    }
}

/// Reads a body in memory, which is necessary only if trailers follow it.
private struct BufferReader: TransportBodyReader {
    var bytes: ByteBuffer

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Swift.min(buffer.count, self.bytes.readableBytes)
        self.bytes.readWithUnsafeReadableBytes { source in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(count)))
            return count
        }
        return count
    }
}
