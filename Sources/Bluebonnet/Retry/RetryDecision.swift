// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import HTTPTypes

/// What to do after a failed attempt.
public enum RetryDecision: Sendable, Hashable {
    /// Deliver the response, or throw the error.
    case stop
    /// Send the request again after a time.
    case retry(after: Duration)
}

/// A failed attempt, for a ``RetryPolicy`` to decide about.
public struct RetryContext: Sendable {
    /// The request that would be sent again.
    public let request: Request

    /// The attempt that failed, counted from 1.
    public let attempt: Int

    /// The response, its body empty; nil if there was none, or if its body has failed.
    public let response: Response?

    /// The error; nil if there was a response.
    ///
    /// If the body of a response has failed, ``SessionError/response`` has its head.
    public let error: SessionError?

    /// Whether any byte of the attempt may have been sent, to any server that it was redirected to.
    public let isRequestSent: Bool

    /// The time that the response asks for in its `Retry-After` field, however long; nil if it asks for none.
    ///
    /// It is also set if the body of a response with an error status has failed.
    public let retryAfter: Duration?

    /// The time since the call was made.
    public let elapsed: Duration

    /// The decision according to the rules of ``RetryPolicy``.
    public let proposal: RetryDecision
}

/// An attempt that was followed by another one.
public struct FailedAttempt: Sendable {
    /// The attempt, counted from 1.
    public let number: Int

    /// The status of the response; nil if there was none, or if its body has failed.
    public let status: HTTPResponse.Status?

    /// The error; nil if there was a response.
    public let error: SessionError?

    /// The measurements of the exchange that gave the response, as far as its head; nil if there was none, and where ``error`` is set.
    public let metrics: ExchangeMetrics?

    /// The wait after it, without that for a route (``RetryPolicy/routeWait``).
    public let delay: Duration
}

/// Why a request was not sent again although its attempt failed transiently.
///
/// Cases may be added in any version: a `switch` needs a `default`.
public enum RetryRefusal: String, Sendable, Hashable {
    /// The server may have acted on the request, and repeating it could do harm.
    case request
    /// The body of the request can be read only once.
    case body
    /// ``RetryPolicy/maximumAttempts`` was reached.
    case attempts
    /// The server asks for a longer time than ``RetryPolicy/retryAfterLimit``.
    case retryAfter
    /// The wait would pass the deadline of the call.
    case deadline
    /// ``Session/Configuration/retryBudget`` is spent.
    case budget
}
