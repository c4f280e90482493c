// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import NIOCore

extension RequestBody {
    /// Creates a body from an asynchronous sequence of buffers, for example from the body of a response, which is relayed as it arrives.
    ///
    /// ```swift
    /// let download = try await session.send(Request(url: source))
    /// var upload = Request(method: .put, url: target)
    /// upload.body = .stream(download.body, length: download.body.expectedLength)
    /// let response = try await session.response(for: upload)
    /// ```
    ///
    /// It behaves like the body of any other asynchronous sequence.
    ///
    /// - Parameters:
    ///   - sequence: The buffers; empty ones are skipped.
    ///   - length: The number of bytes of all buffers; nil if unknown (the body is then sent chunked). No more are sent. Fewer fail
    ///     the exchange, and so do more in the buffer of the last declared byte; whether later ones exist is not waited for, so
    ///     that they are a failure only if the sequence happens to have given them by then.
    ///   - isReplayable: Whether the sequence can be iterated again from its first buffer, for a redirect or a retry. Most sequences cannot.
    /// - Returns: The body.
    public static func stream<Source: AsyncSequence & Sendable>(
        _ sequence: Source,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) -> RequestBody where Source.Element == ByteBuffer {
        .stream(sequence.map { $0.readableBytesView }, length: length, isReplayable: isReplayable)
    }
}
