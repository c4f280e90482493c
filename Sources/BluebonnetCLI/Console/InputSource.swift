// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A source of a request body that is piped in.
protocol InputSource: Sendable {
    /// Whether the source is a pipe, a socket or a file, and not a terminal.
    var isPiped: Bool { get }

    /// The number of bytes left, if the source is a file; nil if it is unknown.
    var remainingByteCount: Int64? { get }

    /// Reads into the beginning of a buffer; waits until there is at least one byte.
    ///
    /// - Returns: The number of bytes read; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int

    /// Waits until there are bytes to read or the end is reached.
    ///
    /// - Returns: False after a timeout.
    func waitUntilReadable(milliseconds: Int32) -> Bool
}
