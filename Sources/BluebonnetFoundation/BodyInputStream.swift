// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import Foundation

/// A request body as Foundation's stream, for code that needs one.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "POST"
/// request.httpBodyStream = BodyInputStream(.multipart(form))
/// request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
/// ```
///
/// A stream has no length of its own. `URLSession` on Linux always sends it in chunks (Transfer-Encoding), so do not set the
/// Content-Length field from ``contentLength``: a request with both fields is refused by careful servers (RFC 9112
/// section 6.2). For a server that needs the length, send the body with a `Session`, which knows it.
///
/// Reads block, files are opened when they are needed, and errors are in ``streamError``: a failed read returns -1,
/// never a regular end. A stream is read once; make another from the same body to send it again. Like every stream it
/// must be used by one thread at a time; run loops and delegates are not supported.
public final class BodyInputStream: InputStream {
    /// The number of bytes of the stream, determined when it was created; nil if the body does not know.
    ///
    /// A body with another number of bytes fails with ``streamError``.
    public let contentLength: Int64?

    private let body: RequestBody
    private var reader: (any BodyReader)?
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    /// How long the next read has to wait.
    private var delay = Duration.zero

    /// Creates a stream; nothing is opened yet.
    ///
    /// - Parameter body: The body to read.
    public init(_ body: RequestBody) {
        self.body = body
        self.contentLength = body.contentLength
        super.init(data: Data())
    }

    /// The status of the stream: not open, open, at its end, closed, or failed.
    public override var streamStatus: Stream.Status { self.status }

    /// The error, a `SerializationError` or that of a reader; nil if there is none.
    public override var streamError: (any Error)? { self.failure }

    /// Whether a read may return bytes; the end is known only once it has been reached.
    public override var hasBytesAvailable: Bool { self.status == .open }

    /// Opens the body; does nothing the second time, and after ``close()``.
    public override func open() {
        guard self.status == .notOpen else { return }
        do {
            self.reader = try self.body.makeReader()
            self.status = .open
        } catch {
            self.fail(error)
        }
    }

    /// Releases the body and its files; the stream cannot be opened again.
    public override func close() {
        self.reader = nil
        self.status = .closed
    }

    /// Reads the next bytes.
    ///
    /// - Parameters:
    ///   - buffer: The buffer for the bytes.
    ///   - len: The size of the buffer.
    /// - Returns: Their number; 0 at the end, and if the stream is not open; -1 when reading failed.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard self.status == .open, len > 0 else { return self.status == .error ? -1 : 0 }
        do {
            // Foundation's streams have no other way to delay a read; reads are allowed to block.
            Pause.sleep(self.delay)
            let count = try self.reader?.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: len)) ?? 0
            self.delay = self.reader?.delayBeforeNextRead ?? .zero
            if count == 0 { self.status = .atEnd }
            return count
        } catch {
            self.fail(error)
            return -1
        }
    }

    /// Provides no buffer: the bytes are never all in memory.
    public override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }

    private func fail(_ error: any Error) {
        self.reader = nil
        self.failure = error
        self.status = .error
    }
}
