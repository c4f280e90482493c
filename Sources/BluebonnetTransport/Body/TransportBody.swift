// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import NIOCore

/// The body of a ``TransportRequest``.
public enum TransportBody: Sendable {
    /// No body.
    case none

    /// Bytes in memory; up to 16 KiB are sent with the head in one write over HTTP/1.1, more of them in pieces.
    case bytes(ByteBuffer)

    /// Bytes that are read as the connection accepts them.
    ///
    /// - Parameters:
    ///   - length: The exact number of bytes; nil if unknown, in which case HTTP/1.1 uses chunks. A reader that returns
    ///     another number fails the exchange. If it is 0, and no trailers follow, no reader is made.
    ///   - isReplayable: Whether `makeReader` may be called again, for example after a stale connection.
    ///   - makeReader: Makes a reader that begins at the first byte; called and read on a thread pool, so it may block.
    ///     The pool is the process's (`NIOThreadPool.singleton`) and has few threads, so that readers which block for
    ///     long delay other uploads, too: they should say when they have bytes with
    ///     ``TransportBodyReader/isReadable`` and ``TransportBodyReader/whenReadable(_:)``.
    case reader(length: Int64?, isReplayable: Bool, makeReader: @Sendable () throws -> any TransportBodyReader)

    /// A file or a part of one, which the system sends directly if possible.
    case file(FileBody)

    /// Whether the body can be sent a second time.
    public var isReplayable: Bool {
        switch self {
        case .none, .bytes, .file: true
        case .reader(_, let isReplayable, _): isReplayable
        }
    }

    /// Makes a reader of a body that is not in memory, for a custom transport; returns nil for ``none`` and
    /// ``bytes(_:)``.
    ///
    /// - Throws: The error of opening the body's source.
    public func makeReader() throws -> (any TransportBodyReader)? {
        switch self {
        case .none, .bytes: nil
        case .reader(_, _, let makeReader): try makeReader()
        case .file(let file): try file.makeReader()
        }
    }
}

/// Reads a request body; see ``TransportBody/reader(length:isReplayable:makeReader:)``.
public protocol TransportBodyReader: Sendable {
    /// Reads the next bytes of the body into a buffer.
    ///
    /// - Parameter buffer: The buffer; never empty.
    /// - Returns: The number of bytes written to its front; 0 at the end.
    /// - Throws: Any error that prevents completing the body.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// The delay before the next read; zero, the default, for none.
    ///
    /// It is read after each read that returned bytes. The delay is measured on the event loop's clock and blocks no
    /// thread: a deliberately slow reader sets it instead of sleeping.
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

extension TransportBodyReader {
    /// Zero by default: the next read may follow at once.
    public var delayBeforeNextRead: Duration { .zero }

    /// True by default.
    public var isReadable: Bool { true }

    /// Calls the function at once by default.
    public func whenReadable(_ notify: @escaping @Sendable () -> Void) { notify() }
}
