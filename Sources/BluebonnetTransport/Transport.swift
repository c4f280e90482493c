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

    /// Whether ``TransportRequest/trust`` is asked before a byte of a request is sent; ``TrustSupport/unsupported`` unless implemented.
    ///
    /// A session refuses to use pins or a security policy with a transport that does not support them.
    var trustSupport: TrustSupport { get }

    /// Closes every connection and refuses new exchanges. Exchanges under way fail with ``TransportError/Code/shutDown``.
    func shutdown() async
}

extension Transport {
    public var trustSupport: TrustSupport { .unsupported }
}

/// Whether a ``Transport`` lets a ``TrustEvaluator`` judge the servers it talks to.
public enum TrustSupport: Sendable {
    /// It does not: ``TransportRequest/trust`` has no effect, or is refused.
    case unsupported

    /// It does, for each request that brings one.
    ///
    /// - Parameter standing: The evaluator that judges the servers of requests that bring none; nil if there is none.
    case supported(standing: (any TrustEvaluator)?)
}
