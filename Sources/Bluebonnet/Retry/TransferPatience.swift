// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials

/// Counts the failures since a transfer's last progress, and waits before the next attempt.
struct TransferPatience: Sendable {
    let policy: RetryPolicy
    /// The call of the transfer.
    let call: Call
    /// The budget of all calls of the session; nil for no limit.
    let account: RetryAccount?
    /// Which errors may be transient, besides those of the policy.
    private let alsoTransient: @Sendable (SessionError) -> Bool
    private var failureCount = 0

    init(
        _ policy: RetryPolicy,
        _ call: Call,
        _ account: RetryAccount?,
        alsoAfter alsoTransient: @escaping @Sendable (SessionError) -> Bool = { _ in false }
    ) {
        self.policy = policy
        self.call = call
        self.account = account
        self.alsoTransient = alsoTransient
    }

    /// Resets the count after more bytes have arrived.
    mutating func progressed() { self.failureCount = 0 }

    /// Waits if another attempt follows.
    ///
    /// - Throws: The error, if none follows; `CancellationError` when the task is cancelled.
    mutating func wait(after error: SessionError, _ request: Request) async throws {
        self.failureCount += 1
        guard self.failureCount < self.policy.maximumAttempts else {
            if self.isTransient(error), !self.policy.isNone { self.call.tell(.retryRefused(.attempts)) }
            throw error
        }
        let isTransient = self.isTransient(error)
        let proposal: RetryDecision =
            isTransient ? self.policy.proposal(afterTransient: error, attempt: self.failureCount) : .stop
        var decision = proposal
        if let decide = self.policy.decide {
            let context = self.policy.context(
                of: error,
                request,
                attempt: self.failureCount,
                elapsed: self.call.started.duration(to: self.call.clock.now),
                proposal: proposal
            )
            decision = try await self.call.decision { try await decide(context) }
        }
        guard case .retry(let wanted) = decision else {
            // This is the only reason why the rules refuse a transient failure.
            if proposal == .stop, isTransient { self.call.tell(.retryRefused(.retryAfter)) }
            throw error
        }
        let delay = max(wanted, .zero)
        if !error.isRequestSent { try await self.policy.routeWait?.run(self.call, before: delay) }
        if let remaining = self.call.remaining, delay >= remaining {
            self.call.tell(.retryRefused(.deadline))
            throw error
        }
        // This check is last, because it takes a token.
        guard self.account?.withdraw(at: self.call.clock.now) ?? true else {
            self.call.tell(.retryRefused(.budget))
            throw error
        }
        self.call.tell(.retryScheduled(self.failedAttempt(error, delay)))
        if delay > .zero { try await self.sleep(delay, after: error) }
        try Task.checkCancellation()
    }

    private func sleep(_ delay: Duration, after failure: SessionError) async throws {
        do {
            try await self.call.sleep(for: delay)
        } catch var error as SessionError {
            // The requests of an upload belong to other calls.
            if failure.isRequestSent { error.isRequestSent = true }
            throw error
        }
    }

    private func failedAttempt(_ error: SessionError, _ delay: Duration) -> FailedAttempt {
        FailedAttempt(
            number: self.failureCount,
            status: error.refusedResponse?.status,
            error: error.refusedResponse == nil ? error : nil,
            metrics: error.refusedResponse?.metrics,
            delay: delay
        )
    }

    private func isTransient(_ error: SessionError) -> Bool {
        self.alsoTransient(error) || self.policy.isTransient(ofTransfer: error)
    }
}
