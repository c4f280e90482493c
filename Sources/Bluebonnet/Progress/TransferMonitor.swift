// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Watches the bytes of one request and of its response.
///
/// Make one, hand it to a function that sends, and read its two sequences from another task. Each may be read any number of times.
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
/// Watching costs nothing that a transfer would wait for: who is slow sees fewer steps, always the newest one, and always the last.
public final class TransferMonitor: Sendable {
    /// The bytes of the request's body, counted when the connection takes them.
    ///
    /// The total is the body's length, headers of multipart parts included. An attempt that sends the body again starts at 0 again. A request
    /// without a body has one step, of 0 bytes.
    public let upload = ProgressStream()

    /// The bytes of the response's body, counted when they are taken from the connection.
    ///
    /// The total is what the response announces.
    public let download = ProgressStream()

    /// Creates a monitor, for one request.
    public init() {}

    /// The head of the response is there; a peer may answer before it has taken the whole request.
    func responseBegan(length: Int64?) {
        self.requestEnded()
        self.download.begin(total: length)
    }

    /// The same for a response that may have to be refused.
    func requestEnded() {
        let upload = self.upload.current
        if upload.total == upload.completed { self.upload.finish() }
    }

    /// The request is over, however it ended.
    func finish() {
        self.upload.finish()
        self.download.finish()
    }
}
