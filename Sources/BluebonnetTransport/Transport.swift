// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Moves one exchange: a request out, a response in.
///
/// The seam between sessions and whatever carries bytes.
///
/// The session calls ``exchange(_:)`` once per hop (each redirect, retry and re-authentication is a new call), from any task, many at
/// a time. A conformer must answer every call exactly once, must notice cancellation of the calling task, and must not interpret what
/// it carries: redirects, cookies and credentials belong to the session. One that cannot do what ``TransportRequest/trust`` or
/// ``TransportRequest/clientIdentity`` asks for must refuse the request rather than send it without.
public protocol Transport: Sendable {
    /// Sends a request and returns when the head of its final response has arrived (and the body too, if the request asks for that).
    ///
    /// Cancelling the calling task before this returns closes the connection at once, or ends its stream where
    /// exchanges share one (HTTP/2). A streamed body is cancelled by dropping it.
    ///
    /// - Parameter request: What to send, and how the response is wanted.
    /// - Returns: The response.
    /// - Throws: ``TransportError``; `CancellationError` when the task is cancelled.
    func exchange(_ request: TransportRequest) async throws -> TransportResponse

    /// Closes every connection and refuses new exchanges. Exchanges under way fail with ``TransportError/Code/shutDown``.
    func shutdown() async
}
