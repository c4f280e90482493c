// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials
public import HTTPTypes

/// Which requests are sent again after a failure, how often, and after what delay (RFC 9110 section 9.2.2).
///
/// The policy belongs to the session, ``Session/Configuration/retries``, or to one request, `request.retries`. The
/// rules of ``idempotent(attempts:)`` are:
///
/// - At most ``maximumAttempts`` attempts are made, including the first one: 3.
/// - A request is repeated after a response with one of ``statuses``, or an error in ``failures``.
/// - It must be safe to repeat: the method is one of ``methods``, or the request has an `Idempotency-Key` field, or no
///   byte of the attempt was sent. A body that can be read only once is never sent again.
/// - The delay is a random time of ``backoff``, plus the time that a `Retry-After` field asks for. If that is more than
///   ``retryAfterLimit``, the response is delivered.
/// - A delay that would exceed the deadline of the call does not begin.
/// - ``Session/Configuration/retryBudget`` limits the retries of all calls of a session together.
///
/// If one of these rules prevents a retry, the last response or error is delivered, as if there were no policy. A
/// response is read up to 64 KiB during the delay before the next attempt, so that its connection can be reused.
///
/// ```swift
/// configuration.retries = .idempotent(attempts: 4)
/// request.retries = RetryPolicy.never
/// ```
///
/// A failure after the response was delivered is not retried: that of a streamed body, or in a task or a call with a
/// progress function, whose bytes are counted as they are read. A response that is collected without them is retried if
/// its body is interrupted.
///
/// An interrupted download continues after the bytes that have arrived, or starts again if the response has no strong
/// entity tag. Its attempts are counted since its last progress, like those of a resumable upload.
public struct RetryPolicy: Sendable {
    /// The largest number of attempts of one call, including the first one: 3 unless changed, from 1 to 100.
    public var maximumAttempts = 3 {
        didSet { self.maximumAttempts = min(max(self.maximumAttempts, 1), 100) }
    }

    /// The delay before an attempt.
    public var backoff = Backoff()

    /// The methods of requests that may be repeated: GET, HEAD, OPTIONS, TRACE, PUT and DELETE unless changed, the
    /// idempotent methods of RFC 9110.
    public var methods: Set<HTTPRequest.Method> = HTTPRequest.Method.idempotent

    /// Whether a request of any method with an `Idempotency-Key` field may be repeated: true unless changed.
    ///
    /// The field has the same value in each attempt.
    public var acceptsIdempotencyKey = true

    /// Whether a request of any method is sent again if no byte of the attempt was sent: true unless changed.
    public var retriesUnsentRequests = true

    /// The status codes after which a request is sent again: 408, 425, 429, 500, 502, 503 and 504 unless changed.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// The errors after which a request is sent again; see ``Failure/transient``.
    public var failures = Failure.transient

    /// The longest `Retry-After` time that is waited for: 60 s unless changed.
    public var retryAfterLimit: Duration = .seconds(60)

    /// The wait for a route to the network, before the back-off of an attempt that failed before anything was sent; nil, the default, for none.
    ///
    /// A ``TransferQueue`` does not look at it.
    public var routeWait: RouteWait?

    /// When a second attempt begins beside the first one that has not been answered (hedging); nil, the default, for never.
    ///
    /// It applies only to requests with one of ``methods`` and without a body. The first response that is not one of
    /// ``statuses`` wins as soon as its head has arrived; the other attempt is cancelled, which closes its connection or
    /// resets its stream. The second attempt counts against ``maximumAttempts`` and the budget; if either is exhausted, it
    /// is not made, nor if the first attempt waits for a decision of the program, a token, or the `Retry-After` of a
    /// redirect. Choose a time that few responses exceed, for example the 95th percentile.
    ///
    /// With a ``DeduplicationPolicy``, the response to the first attempt counts only when it is whole, because other calls
    /// may share it.
    public var hedgingDelay: Duration?

    /// Decides instead of the rules; nil to use the rules.
    let decide: (@Sendable (RetryContext) async throws -> RetryDecision)?

    /// The sources of randomness and of the time of day; tests replace both.
    package var surroundings = Surroundings()

    /// Creates a policy that decides about each failure.
    ///
    /// - Parameters:
    ///   - attempts: The largest number of attempts of one call, including the first one.
    ///   - decide: Returns what to do after a failed attempt, which it is given with the decision of the rules. It may
    ///     repeat what the rules would not, such as a POST or a 404; the number of attempts, the deadline, the budget
    ///     and a body that can be read only once remain limits. It is called for errors and for every response that is
    ///     not 2xx or 3xx. The call throws the errors that it throws; in a ``TransferQueue`` the rules decide instead.
    ///     It runs in a task of its own, which is cancelled at the call's total limit and when the call is cancelled;
    ///     the call ends then even if the function goes on.
    public init(
        attempts: Int = 3,
        _ decide: @escaping @Sendable (RetryContext) async throws -> RetryDecision
    ) {
        self.init(attempts: attempts, decide: decide)
    }

    private init(attempts: Int, decide: (@Sendable (RetryContext) async throws -> RetryDecision)?) {
        self.decide = decide
        self.maximumAttempts = min(max(attempts, 1), 100)
    }

    /// Never repeats a request: a response is delivered, an error thrown.
    public static let never = RetryPolicy(attempts: 1, decide: nil)

    /// Repeats requests that may be sent twice, by the rules of ``RetryPolicy``.
    ///
    /// - Parameter attempts: The largest number of attempts of one call, including the first one.
    /// - Returns: The policy.
    public static func idempotent(attempts: Int = 3) -> RetryPolicy {
        RetryPolicy(attempts: attempts, decide: nil)
    }

    /// Whether requests are never repeated, so that the stage can be left out.
    var isNone: Bool { self.maximumAttempts == 1 }
}

extension RetryPolicy {
    /// The external inputs of a policy.
    package struct Surroundings: Sendable {
        /// A uniformly distributed number from 0 to 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

        /// The seconds since 1 January 1970, for a date in a `Retry-After` field.
        package var secondsSince1970: @Sendable () -> Int64 = {
            Int64(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0
        }
    }
}
