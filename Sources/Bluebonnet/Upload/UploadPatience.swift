// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// Counts what went wrong since the server has acknowledged a byte, and waits before the next attempt.
struct UploadPatience: Sendable {
    /// What the client may wait for besides the statuses of a policy: a server that still holds the lock of the last request (423).
    private static let locked = 423

    let policy: RetryPolicy
    let clock: SessionClock
    let started: SessionClock.Instant
    private var failureCount = 0

    init(_ policy: RetryPolicy, _ clock: SessionClock) {
        self.policy = policy
        self.clock = clock
        self.started = clock.now
    }

    /// The server has acknowledged more than before.
    mutating func progressed() { self.failureCount = 0 }

    /// Waits, if another attempt is to follow.
    ///
    /// - Throws: The error, if none is; `CancellationError` when the task is cancelled.
    mutating func wait(after error: SessionError, _ request: Request) async throws {
        self.failureCount += 1
        guard self.failureCount < self.policy.maximumAttempts else { throw error }
        let proposal = self.proposal(after: error)
        var decision = proposal
        if let decide = self.policy.decide {
            decision = try await decide(
                RetryContext(
                    request: request,
                    attempt: self.failureCount,
                    response: error.response,
                    error: error.response == nil ? error : nil,
                    isRequestSent: error.isRequestSent,
                    retryAfter: self.retryAfter(error),
                    elapsed: self.started.duration(to: self.clock.now),
                    proposal: proposal
                )
            )
        }
        guard case .retry(let delay) = decision else { throw error }
        if delay > .zero { try await self.clock.sleep(for: delay) }
        try Task.checkCancellation()
    }

    private func proposal(after error: SessionError) -> RetryDecision {
        guard self.isTransient(error) else { return .stop }
        let backoff = self.policy.backoff.delay(
            afterAttempt: self.failureCount,
            random: self.policy.surroundings.random()
        )
        guard let retryAfter = self.retryAfter(error) else { return .retry(after: backoff) }
        return retryAfter <= self.policy.retryAfterLimit ? .retry(after: retryAfter + backoff) : .stop
    }

    private func isTransient(_ error: SessionError) -> Bool {
        switch error.code {
        case .unacceptableStatus:
            guard let status = error.response?.status.code else { return false }
            return self.policy.statuses.contains(status) || status == Self.locked
        case .digestMismatch:
            return true
        default:
            guard self.policy.failures.contains(where: { $0.matches(error) }) else { return false }
            return error.proxyStatus.map { self.policy.statuses.contains($0) } ?? true
        }
    }

    private func retryAfter(_ error: SessionError) -> Duration? {
        error.response.flatMap { RetryAfter.delay($0.headers, now: self.policy.surroundings.secondsSince1970) }
    }
}
