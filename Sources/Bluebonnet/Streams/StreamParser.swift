// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Parses the bytes of a stream into elements, however the bytes are split into buffers.
protocol StreamParser: Sendable {
    associatedtype Element: Sendable

    /// Adds the next bytes; called only when ``next()`` has returned nil.
    mutating func append(_ buffer: ByteBuffer)

    /// The next element of the bytes added so far; nil if it is not complete.
    ///
    /// - Throws: `SessionError` for bytes that are refused; it is not called again afterwards.
    mutating func next() throws(SessionError) -> Element?

    /// The element that ends with the stream; called once, when ``next()`` has returned nil after the last byte.
    mutating func finish() throws(SessionError) -> Element?
}
