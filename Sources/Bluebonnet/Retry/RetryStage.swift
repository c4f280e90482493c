// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// Repeats requests according to their policy.
///
/// Every attempt goes through the stages below again, so its redirects start over.
struct RetryStage: Interceptor {
    /// The policy of requests without their own.
    let policy: RetryPolicy

    /// The budget of all calls of the session; nil for no limit.
    let account: RetryAccount?

    init(_ configuration: Session.Configuration) {
        self.policy = configuration.retries
        self.account = configuration.retryBudget.map { RetryAccount($0) }
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let policy = request.retries ?? self.policy
        guard !policy.isNone else { return try await next(request) }
        self.account?.deposit(at: next.call.clock.now)
        var attempts = Attempts(request: request, policy: policy, account: self.account, next: next)
        return try await attempts.run()
    }
}
