// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads one body from its first byte to its last; the engine pulls as the connection takes the bytes.
///
/// Called by one caller at a time, possibly from different threads, and allowed to block: a reader of files runs on a thread pool,
/// never on an event loop.
public protocol BodyReader: Sendable {
    /// Fills the front of a buffer with the body's next bytes.
    ///
    /// - Parameter buffer: Where the bytes go; never empty.
    /// - Returns: How many bytes were written, at least 1, or 0 at the end of the body. After 0 it is not called again.
    /// - Throws: Whatever makes the body impossible to finish; the exchange then fails and its connection is closed.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// How long the next read has to wait; zero, the default, for not at all.
    ///
    /// Asked after each read that gave bytes. The engine measures the delay on the clock of its event loop, where it blocks no thread:
    /// a reader that is slow on purpose says so here and does not sleep.
    var delayBeforeNextRead: Duration { get }
}

extension BodyReader {
    /// Zero: the next read may follow at once.
    public var delayBeforeNextRead: Duration { .zero }
}
