// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Repeats requests according to their policy.
///
/// Every attempt goes through the stages below again, so its redirects start over. It has nothing to do until an attempt
/// has failed, unless the policy hedges.
final class RetryStage: IdleStage {
    /// The policy of requests without their own.
    let policy: RetryPolicy

    /// The budget of all calls of the session; nil for no limit.
    let account: RetryAccount?

    init(_ configuration: Session.Configuration) {
        self.policy = configuration.retries
        self.account = configuration.retryBudget.map { RetryAccount($0) }
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        // The chain has asked `isIdle`, which deposits the share of the call in the budget; another question would
        // deposit it twice.
        try await self.repeat(request, after: nil, next)
    }

    func isIdle(for request: Request, of call: Call) -> Bool {
        let policy = request.retries ?? self.policy
        guard !policy.isNone else { return true }
        self.account?.deposit(at: call.clock.now)
        call.isRequestSent = false
        return policy.hedgingDelay == nil
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
        (request.retries ?? self.policy).mayFollow(response)
    }

    func concerns(_ error: any Error, of request: Request, in call: Call) -> Bool {
        let policy = request.retries ?? self.policy
        return policy.mayFollow(AttemptOutcome(.failure(error), of: request, isRequestSent: call.isRequestSent))
    }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.repeat(request, after: .success(response), next)
    }

    func act(on error: any Error, of request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.repeat(request, after: .failure(error), next)
    }

    /// Makes attempts until one is delivered; the first may have been made.
    private func `repeat`(
        _ request: Request,
        after made: Result<StreamedResponse, any Error>?,
        _ next: Chain
    ) async throws -> StreamedResponse {
        var attempts = Attempts(
            request: request,
            policy: request.retries ?? self.policy,
            account: self.account,
            next: next
        )
        return try await attempts.run(after: made)
    }
}
