// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import Foundation

/// A request body as Foundation's stream, for code that wants one.
///
/// ```swift
/// var request = URLRequest(url: url)
/// let stream = BodyInputStream(.multipart(form))
/// request.httpBodyStream = stream
/// request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
/// if let length = stream.contentLength { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
/// ```
///
/// A stream carries no length of its own. Without the Content-Length field `URLSession` sends the body in chunks, which some servers
/// refuse; set it from ``contentLength``.
///
/// Reads block, files are opened when their turn comes, and what goes wrong is in ``streamError``: a read then gives -1, never an end that
/// looks clean. A stream is read once; make another from the same body to send it again. Like every stream it belongs to one thread
/// at a time; run loops and delegates are not served.
public final class BodyInputStream: InputStream {
    /// The number of bytes the stream gives, taken when it was made; nil if the body does not know.
    ///
    /// A body that gives another number fails with ``streamError``.
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

    /// Where the stream stands: not open, open, at its end, closed, or failed.
    public override var streamStatus: Stream.Status { self.status }

    /// What went wrong, a `SerializationError` or what a reader threw; nil if nothing did.
    public override var streamError: (any Error)? { self.failure }

    /// Whether a read is worth trying; the end is only known once it has been reached.
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
    ///   - buffer: Where they go.
    ///   - len: How many there is room for.
    /// - Returns: Their number; 0 at the end, and where the stream is not open; -1 when reading failed.
    public override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard self.status == .open, len > 0 else { return self.status == .error ? -1 : 0 }
        do {
            // Foundation's streams have no other means to be slow on purpose; reads are allowed to block.
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

    /// Gives no buffer: the bytes are never all in memory.
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
