// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import HTTPTypes

/// Which requests of a command of curl are sent again: `--retry`, with or without `--retry-all-errors`.
struct CurlRetries: Sendable {
    /// The statuses that curl takes for transient: those of ``RetryPolicy/statuses`` without 425.
    static let statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// Whether a request of any method is sent again after any failure: `--retry-all-errors`.
    var includesAllErrors = false

    /// Changes the retries of a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan, with the number of attempts that was asked for.
    ///   - fails: Whether a status of 400 or more is a failure.
    func apply(to plan: inout RequestPlan, fails: Bool) {
        let attempts = plan.retries.maximumAttempts
        guard attempts > 1 else { return }
        let method = plan.request.method
        if !self.includesAllErrors, !plan.retries.methods.contains(method) {
            plan.retries = Self.policy(attempts: attempts)
            return
        }
        plan.retries.methods.insert(method)
        plan.retries.statuses = Self.statuses
        if self.includesAllErrors, fails { plan.retries.statuses.formUnion(400...599) }
    }

    /// Which transfers are repeated beyond the attempts of a request.
    ///
    /// - Parameter plan: The plan, with the retries that have been applied.
    /// - Returns: The rules; nil if nothing is sent again.
    func transferRetries(of plan: RequestPlan) -> TransferRetries? {
        guard plan.retries.maximumAttempts > 1 else { return nil }
        return TransferRetries(
            includesBrokenBodies: self.includesAllErrors,
            includesTimeouts: plan.retries.methods.contains(plan.request.method)
        )
    }

    /// A policy for a method that is not idempotent.
    ///
    /// A status says that the server has not done what it was asked for. A lost connection does not: the server may
    /// have done it, and would do it twice.
    private static func policy(attempts: Int) -> RetryPolicy {
        let rules = RetryPolicy.idempotent(attempts: attempts)
        return RetryPolicy(attempts: attempts) { context in
            guard let status = context.response?.status.code else {
                return context.isRequestSent ? .stop : context.proposal
            }
            guard Self.statuses.contains(status) else { return .stop }
            let delay = rules.delay(afterAttempt: context.attempt, retryAfter: context.retryAfter)
            return delay.map { .retry(after: $0) } ?? .stop
        }
    }
}
