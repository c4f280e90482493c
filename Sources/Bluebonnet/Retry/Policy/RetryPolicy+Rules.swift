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
        let backoff = self.backoff.delay(afterAttempt: attempt, random: self.surroundings.random())
        guard let retryAfter = self.retryAfter(outcome) else { return .retry(after: backoff) }
        guard retryAfter <= self.retryAfterLimit else { return .refuse(.retryAfter) }
        // Otherwise all clients with the same Retry-After would return at the same moment.
        return .retry(after: retryAfter + backoff)
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
        guard let error = outcome.error, self.failures.contains(where: { $0.matches(error) }) else { return false }
        return error.proxyStatus.map { self.statuses.contains($0) } ?? true
    }

    private func isTransient(_ response: borrowing StreamedResponse) -> Bool {
        guard self.statuses.contains(response.status.code) else { return false }
        // What the cache has answered without the server would be the answer to the next attempt, too.
        return response.cacheStatus?.isOfCache != true
    }

    /// The time that the response asks for, or what is left of that of a parallel attempt if it is longer; nil if neither
    /// has a valid field.
    func retryAfter(_ outcome: AttemptOutcome) -> Duration? {
        let now = self.surroundings.secondsSince1970
        let own =
            outcome.response.map { RetryAfter.delay($0.headers, now: now) } ?? outcome.error?.retryAfter(now: now)
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

    /// The field of draft-ietf-httpapi-idempotency-key-header.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")
}
