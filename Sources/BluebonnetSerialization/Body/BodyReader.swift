// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads one body from its first byte to its last; the engine reads as the connection accepts the bytes.
///
/// Calls are sequential, possibly from different threads, and may block: a reader of files runs on a thread pool, never
/// on an event loop.
public protocol BodyReader: Sendable {
    /// Reads the next bytes of the body into a buffer.
    ///
    /// - Parameter buffer: The buffer; never empty.
    /// - Returns: The number of bytes written to its front, at least 1; 0 at the end of the body. It is not called
    ///   again after 0.
    /// - Throws: Any error that prevents completing the body; the exchange then fails and its connection is closed.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// The delay before the next read; zero, the default, for none.
    ///
    /// It is read after each read that returned bytes. The engine measures the delay on its event loop's clock, which
    /// blocks no thread: a deliberately slow reader sets it instead of sleeping.
    var delayBeforeNextRead: Duration { get }
}

extension BodyReader {
    /// Zero by default: the next read may follow at once.
    public var delayBeforeNextRead: Duration { .zero }
}
