// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Counts the bytes of one request and of its response.
///
/// Create a monitor, pass it to a function that sends, and read its two sequences from another task. Each may be read
/// any number of times.
///
/// ```swift
/// let monitor = TransferMonitor()
/// var call = try api.prepare(.get, "image.iso")
/// call.monitor = monitor
/// async let file = call.download(to: destination)
/// for await progress in monitor.download {
///     print(progress.fraction ?? 0)
/// }
/// print(try await file.byteCount)
/// ```
///
/// Monitoring never delays a transfer: a slow reader sees fewer steps, always the newest one, and always the last.
public final class TransferMonitor: Sendable {
    /// The bytes of the request's body, counted when they are passed to the connection.
    ///
    /// The total is the body's length, including the headers of multipart parts; that of a body without a known length
    /// is known at its end. An attempt that sends the body again restarts at 0. A request without a body has one step,
    /// of 0 bytes, also if a stored response answers it; if it follows a redirect of a request with a body, the count
    /// stays as it is.
    public let upload = ProgressStream()

    /// The bytes of the response's body, counted when they are taken from the connection.
    ///
    /// The total is the length that the response announces. If it announces none, the last step of a complete body has
    /// the number of its bytes as the total.
    public let download = ProgressStream()

    /// Creates a monitor, for one request.
    public init() {}

    /// Starts the download's count when the head of the response has arrived; a server may respond before it has
    /// received the whole request.
    func responseBegan(to request: Request, length: Int64?) {
        self.requestEnded(request)
        self.download.begin(total: length)
    }

    /// Ends the upload's count if the upload is complete, for a response that may have to be refused.
    func requestEnded(_ request: Request) {
        // The exchange counts a missing body; a stored response has had none, nor has a call that shares that of another.
        if case .none = request.body, self.upload.current == TransferProgress() { self.upload.begin(total: 0) }
        let upload = self.upload.current
        if upload.total == upload.completed { self.upload.finish() }
    }

    /// Ends both counts after the last byte of the response's body.
    func responseEnded() {
        self.download.complete()
        self.finish()
    }

    /// Ends both counts when the request has ended in any way.
    func finish() {
        self.upload.finish()
        self.download.finish()
    }
}
