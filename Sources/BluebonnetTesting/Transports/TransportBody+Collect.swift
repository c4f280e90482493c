// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import BluebonnetTransport
public import NIOCore

extension TransportBody {
    /// Reads the whole body, as a transport would, so that a stub can inspect it.
    ///
    /// Blocks if the body's reader does: ``bytes(upTo:)`` does not, and is the one for the body of an asynchronous sequence.
    ///
    /// - Parameter limit: The largest number of bytes to read; 16 MiB unless given.
    /// - Returns: The bytes.
    /// - Throws: `TransportError.Code.bodyFailed` for a body longer than the limit, and for a reader that claims an
    ///   impossible number of bytes; otherwise the error of its reader.
    public func collect(upTo limit: Int = 16 * 1024 * 1024) throws -> ByteBuffer {
        var all = ByteBuffer()
        switch self {
        case .none: break
        case .bytes(let bytes): all = bytes
        case .reader, .file:
            guard var reader = try self.makeReader() else { break }
            while all.readableBytes <= limit, try all.writePiece(of: &reader) {}
        }
        guard all.readableBytes <= limit else { throw Self.failure("the body is longer than \(limit) bytes") }
        return all
    }

    /// Reads the whole body, as a transport would, off the caller's actor and without blocking a thread while the body's
    /// source has nothing.
    ///
    /// - Parameter limit: The largest number of bytes to read; 16 MiB unless given.
    /// - Returns: The bytes.
    /// - Throws: The errors of ``collect(upTo:)``; `CancellationError` when the task is cancelled, which ends the iteration
    ///   of a body from an asynchronous sequence.
    @concurrent
    public func bytes(upTo limit: Int = 16 * 1024 * 1024) async throws -> ByteBuffer {
        var all = ByteBuffer()
        switch self {
        case .none: break
        case .bytes(let bytes): all = bytes
        case .reader, .file:
            guard var reader = try self.makeReader() else { break }
            repeat {
                try Task.checkCancellation()
                try await ReadinessWait.run(
                    isReadable: { reader.isReadable },
                    whenReadable: { reader.whenReadable($0) }
                )
            } while try all.writePiece(of: &reader) && all.readableBytes <= limit
        }
        guard all.readableBytes <= limit else { throw Self.failure("the body is longer than \(limit) bytes") }
        return all
    }

    fileprivate static func failure(_ reason: String) -> TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: reason)
    }
}

extension ByteBuffer {
    /// Appends what one read returns.
    ///
    /// - Returns: False at the end of the body.
    fileprivate mutating func writePiece(of reader: inout any TransportBodyReader) throws -> Bool {
        let count = try self.writeWithUnsafeMutableBytes(minimumWritableBytes: 65536) { space in
            let count = try reader.read(into: space)
            guard (0...space.count).contains(count) else {
                throw TransportBody.failure("the body's reader claims \(count) bytes in a buffer of \(space.count)")
            }
            return count
        }
        return count > 0
    }
}
