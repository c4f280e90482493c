// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Where a request's body comes from when it is piped in.
protocol InputSource: Sendable {
    /// Whether there is something to read that is not a person's keyboard: a pipe, a socket or a file.
    var isPiped: Bool { get }

    /// The number of bytes to come, if the source is a file; nil if it is not known.
    var remainingByteCount: Int64? { get }

    /// Reads into the front of a buffer; waits until there is at least one byte.
    ///
    /// - Returns: The number of bytes read, 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int

    /// Waits until there is something to read or the end is reached.
    ///
    /// - Returns: False if nothing came in time.
    func waitUntilReadable(milliseconds: Int32) -> Bool
}
