// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Performs one exchange: sends a request and receives its response.
///
/// It separates sessions from the implementation that transfers the bytes.
///
/// A session calls ``exchange(_:)`` once per hop (each redirect, retry and re-authentication is a new call), from any
/// task, concurrently. A conformer must complete every call exactly once, must react to cancellation of the calling
/// task, and must not interpret the messages: redirects, cookies and credentials belong to the session.
///
/// A conformer enforces ``TransportRequest/timeouts``: an exchange that exceeds ``Timeouts/total`` must end with
/// ``TransportError/Code/timedOut``, and so must one that exceeds the limit of a phase that the conformer has. A
/// session passes what remains of a call's total limit there, and does not watch the exchange itself.
///
/// A conformer that does not support ``TransportRequest/trust`` or ``TransportRequest/clientIdentity`` must refuse a
/// request that uses them rather than send it without.
public protocol Transport: Sendable {
    /// Sends a request and returns when the head of its final response has arrived (and the body too, if the request
    /// asks for that).
    ///
    /// Cancelling the calling task before this returns closes the connection at once, or resets its stream on HTTP/2.
    /// Dropping a streamed body cancels it.
    ///
    /// - Parameter request: The request, including how the response is to be delivered.
    /// - Returns: The response.
    /// - Throws: ``TransportError``; `CancellationError` when the task is cancelled.
    func exchange(_ request: TransportRequest) async throws -> TransportResponse

    /// Whether ``TransportRequest/trust`` is called before a byte of a request is sent; ``TrustSupport/unsupported``
    /// unless implemented.
    ///
    /// A session refuses to use pins or a security policy with a transport that does not support them.
    var trustSupport: TrustSupport { get }

    /// Closes every connection and refuses new exchanges. Exchanges in progress fail with
    /// ``TransportError/Code/shutDown``.
    func shutdown() async
}

extension Transport {
    public var trustSupport: TrustSupport { .unsupported }
}

/// Whether a ``Transport`` supports ``TrustEvaluator``.
public enum TrustSupport: Sendable {
    /// It is not supported: ``TransportRequest/trust`` is ignored or refused.
    case unsupported

    /// It is supported, for each request that has one.
    ///
    /// - Parameter standing: The evaluator for requests that have none; nil if there is none.
    case supported(standing: (any TrustEvaluator)?)
}
