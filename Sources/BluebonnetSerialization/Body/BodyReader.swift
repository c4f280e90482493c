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

    /// Whether the next read returns at once; true by default, and for a reader that only files or computation delay.
    ///
    /// The engine does not read while it is false, so that a source that waits for something else holds no thread. Other callers may
    /// read: ``read(into:)`` then blocks.
    var isReadable: Bool { get }

    /// Calls a function as soon as ``isReadable`` is true, or at once if it is already: the default.
    ///
    /// - Parameter notify: Called once, on any thread; never, if the reader is released before.
    func whenReadable(_ notify: @escaping @Sendable () -> Void)
}

extension BodyReader {
    /// Zero by default: the next read may follow at once.
    public var delayBeforeNextRead: Duration { .zero }

    /// True by default.
    public var isReadable: Bool { true }

    /// Calls the function at once by default.
    public func whenReadable(_ notify: @escaping @Sendable () -> Void) { notify() }
}
