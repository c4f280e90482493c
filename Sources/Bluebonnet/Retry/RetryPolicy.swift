// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import HTTPTypes

/// Which requests are sent again after a failure, how often, and how long to wait before (RFC 9110 section 9.2.2).
///
/// A value of the session, ``Session/Configuration/retries``, or of one request, `request.retries`. The rules of ``idempotent(attempts:)``:
///
/// - At most ``maximumAttempts`` attempts, the first one included: 3.
/// - After a response with one of ``statuses``, or an error that ``failures`` names.
/// - Only where sending twice does no harm: the method is one of ``methods``, or the request carries an `Idempotency-Key` field, or not one
///   byte of the attempt was sent. A body that can be read only once is never sent again.
/// - After a random time of ``backoff``, and not before the time that a `Retry-After` field asks for. One that asks for more than
///   ``retryAfterLimit`` is not waited for: the response is delivered.
/// - Not beyond the deadline of the call: a wait that would pass it does not begin.
/// - Not beyond ``Session/Configuration/retryBudget``, which bounds the retries of all calls of a session together.
///
/// Where one of these says no, the last response or error is delivered, as if there were no policy. A response is read up to 64 KiB before
/// the next attempt, and no longer than the wait takes, so that its connection can be used again.
///
/// ```swift
/// configuration.retries = .idempotent(attempts: 4)
/// request.retries = RetryPolicy.none
/// ```
///
/// What fails after the response was handed over is not retried: the body of a streamed response, and of a task or a call with a progress
/// function, whose bytes are counted as they are read. A response that is collected without them is retried if its body breaks off.
///
/// A download whose body breaks off goes on behind the bytes that have arrived, or starts again where the response has no strong entity
/// tag. Its attempts are counted since it has last moved on, as those of a resumable upload are.
public struct RetryPolicy: Sendable {
    /// The number of attempts of one call, the first one included: 3 unless changed, from 1 to 100.
    public var maximumAttempts = 3 {
        didSet { self.maximumAttempts = min(max(self.maximumAttempts, 1), 100) }
    }

    /// How long to wait before an attempt.
    public var backoff = Backoff()

    /// The methods of requests that may be sent twice: GET, HEAD, OPTIONS, TRACE, PUT and DELETE unless changed, the idempotent ones of RFC 9110.
    public var methods: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]

    /// Whether a request of any method that carries an `Idempotency-Key` field may be sent twice: yes unless changed.
    ///
    /// The field has the same value in each attempt.
    public var acceptsIdempotencyKey = true

    /// Whether a request of any method is sent again if not one byte of the attempt was sent: yes unless changed.
    public var retriesUnsentRequests = true

    /// The status codes after which a request is sent again: 408, 425, 429, 500, 502, 503 and 504 unless changed.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// The errors after which a request is sent again; see ``Failure/transient``.
    public var failures = Failure.transient

    /// The longest time of a `Retry-After` field that is waited for: 60 s unless changed.
    public var retryAfterLimit: Duration = .seconds(60)

    /// The wait for a route to the network, before the back-off of an attempt that failed before anything was sent; nil, the default, for none.
    ///
    /// A ``TransferQueue`` does not look at it.
    public var routeWait: RouteWait?

    /// When a second attempt begins beside the first one that has not been answered (hedging); nil, the default, for never.
    ///
    /// Only for requests with one of ``methods`` and without a body. The first response that is not one of ``statuses`` wins; the other attempt
    /// is cancelled, which closes its connection or resets its stream. The second attempt counts against ``maximumAttempts`` and the
    /// budget; without a place in either it is not made. Choose a time that few responses take longer than, for example the 95th percentile.
    public var hedgingDelay: Duration?

    /// Decides instead of the rules; nil where the rules do.
    let decide: (@Sendable (RetryContext) async throws -> RetryDecision)?

    /// What chance and the time of day are; a test sets both.
    package var surroundings = Surroundings()

    /// Creates a policy that decides about each failure.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts of one call, the first one included.
    ///   - decide: Gets each failed attempt with what the rules propose, and returns what to do. It may repeat what the rules would not, a
    ///     POST or a 404 for example; the number of attempts, the deadline, the budget and a body that can be read only once remain limits.
    ///     Called from the task of the call, for errors and for every response that is not 2xx or 3xx. What it throws, the call throws.
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

    /// Sends nothing again: a response is delivered, an error thrown.
    public static let none = RetryPolicy(attempts: 1, decide: nil)

    /// Sends requests again that may be sent twice, by the rules of ``RetryPolicy``.
    ///
    /// - Parameter attempts: The number of attempts of one call, the first one included.
    /// - Returns: The policy.
    public static func idempotent(attempts: Int = 3) -> RetryPolicy {
        RetryPolicy(attempts: attempts, decide: nil)
    }

    /// Whether nothing is ever sent again, so that the stage can be left out.
    var isNone: Bool { self.maximumAttempts == 1 }
}

extension RetryPolicy {
    /// What a policy takes from outside.
    package struct Surroundings: Sendable {
        /// A number from 0 to 1, any as likely as any other.
        package var random: @Sendable () -> Double = { Double.random(in: 0...1) }

        /// The seconds since 1 January 1970, for a date in a `Retry-After` field.
        package var secondsSince1970: @Sendable () -> Int64 = {
            Int64(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0
        }
    }
}
