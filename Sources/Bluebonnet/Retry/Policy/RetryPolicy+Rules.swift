// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

extension RetryPolicy {
    /// The decision of the rules about an attempt.
    enum Verdict: Equatable {
        /// It was successful, or failed in a way that another attempt would not change.
        case deliver
        /// Another attempt might help, but must not be made.
        case refuse(RetryRefusal)
        case retry(after: Duration)
    }

    /// Applies the rules, except for the limits of the call: attempts, deadline, budget, and the body of the request.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - request: The request that would be sent again.
    ///   - attempt: The attempt, counted from 1.
    /// - Returns: The decision according to these rules.
    func verdict(_ outcome: AttemptOutcome, of request: Request, attempt: Int) -> Verdict {
        guard self.isTransient(outcome) else { return .deliver }
        guard self.mayRepeat(request, isSent: outcome.isRequestSent) else { return .refuse(.request) }
        let delay = self.delay(afterAttempt: attempt, retryAfter: self.retryAfter(outcome))
        return delay.map { .retry(after: $0) } ?? .refuse(.retryAfter)
    }

    /// The delay before the attempt that follows a transient failure.
    ///
    /// - Parameters:
    ///   - attempt: The attempt that failed, counted from 1.
    ///   - retryAfter: The time that the server asks for; nil for none.
    /// - Returns: The delay; nil if the server asks for more than ``retryAfterLimit``.
    package func delay(afterAttempt attempt: Int, retryAfter: Duration?) -> Duration? {
        let backoff = self.backoff.delay(afterAttempt: attempt, random: self.surroundings.random())
        guard let retryAfter else { return backoff }
        // Without the back-off all clients with the same Retry-After would return at the same moment.
        return retryAfter <= self.retryAfterLimit ? retryAfter + backoff : nil
    }

    /// Whether the outcome of an attempt allows another one.
    func mayFollow(_ outcome: AttemptOutcome) -> Bool {
        self.isTransient(outcome) || self.decide != nil && outcome.isFailure
    }

    /// Whether a response allows another attempt.
    func mayFollow(_ response: borrowing StreamedResponse) -> Bool {
        self.isTransient(response) || self.decide != nil && AttemptOutcome.isFailure(response.status)
    }

    /// Whether an attempt failed transiently.
    func isTransient(_ outcome: AttemptOutcome) -> Bool {
        if let response = outcome.response { return self.isTransient(response) }
        return outcome.error.map { self.isTransient($0) } ?? false
    }

    /// Whether an error other than a refused response is transient.
    private func isTransient(_ error: SessionError) -> Bool {
        if let cause = error.credentialFailure, self.isTransient(withoutCredentials: cause) { return true }
        guard self.failures.contains(where: { $0.matches(error) }) else { return false }
        return error.proxyStatus.map { self.statuses.contains($0) } ?? true
    }

    /// Whether the credentials could not be obtained for a reason that may pass, and not because they were refused.
    private func isTransient(withoutCredentials cause: any Error) -> Bool {
        switch cause {
        case let cause as OAuth2Error: cause.status.map { self.statuses.contains($0.code) } ?? false
        // The total limit of the request is the time limit of the refresh.
        case let cause as SessionError where cause.code == .timedOut: self.failures.contains { $0.code == .timedOut }
        case let cause as SessionError: self.isTransient(ofTransfer: cause)
        default: false
        }
    }

    private func isTransient(_ response: borrowing StreamedResponse) -> Bool {
        guard self.statuses.contains(response.status.code) else { return false }
        // What the cache has answered without the server would be the answer to the next attempt, too.
        return response.cacheStatus?.isOfCache != true
    }

    /// The time that the response asks for, or what is left of that of a parallel attempt if it is longer; nil if neither
    /// has a valid field.
    func retryAfter(_ outcome: AttemptOutcome) -> Duration? {
        let own =
            outcome.response.map { RetryAfter.delay($0.headers, now: self.surroundings.secondsSince1970) }
            ?? outcome.error.flatMap { self.retryAfter($0) }
        return [own, outcome.otherRetryAfter].compactMap(\.self).max()
    }

    /// Whether a request may be sent again, considering what the server may have done with it.
    private func mayRepeat(_ request: Request, isSent: Bool) -> Bool {
        if self.methods.contains(request.method) { return true }
        if !isSent, self.retriesUnsentRequests { return true }
        guard self.acceptsIdempotencyKey, let name = Self.idempotencyKey, let key = request.headers[name] else {
            return false
        }
        return !key.isEmpty
    }

    /// The time that a refused response asks for; nil for any other error, and without a valid field.
    private func retryAfter(_ error: SessionError) -> Duration? {
        error.retryAfter(now: self.surroundings.secondsSince1970)
    }

    /// The field of draft-ietf-httpapi-idempotency-key-header.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")
}

/// The rules for downloads, resumable uploads and the transfers of a queue, which report a refused response as an error.
extension RetryPolicy {
    /// Whether an attempt of a transfer failed transiently.
    func isTransient(ofTransfer error: SessionError) -> Bool {
        guard error.code == .unacceptableStatus, let status = error.status else { return self.isTransient(error) }
        return self.statuses.contains(status.code)
    }

    /// The decision of the rules after a transient failure of a transfer.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - attempt: The number of failures since the last progress.
    /// - Returns: A delay; `stop` if the server asks for more than ``retryAfterLimit``.
    func proposal(afterTransient error: SessionError, attempt: Int) -> RetryDecision {
        self.delay(afterAttempt: attempt, retryAfter: self.retryAfter(error)).map { .retry(after: $0) } ?? .stop
    }

    /// Describes a failed attempt of a transfer for the function of the program.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - request: The request of the attempt.
    ///   - attempt: The number of failures since the last progress.
    ///   - elapsed: The duration so far.
    ///   - proposal: The decision of the rules.
    /// - Returns: The description.
    func context(
        of error: SessionError,
        _ request: Request,
        attempt: Int,
        elapsed: Duration,
        proposal: RetryDecision
    ) -> RetryContext {
        RetryContext(
            request: request,
            attempt: attempt,
            response: error.refusedResponse,
            error: error.refusedResponse == nil ? error : nil,
            isRequestSent: error.isRequestSent,
            retryAfter: self.retryAfter(error),
            elapsed: elapsed,
            proposal: proposal
        )
    }
}
