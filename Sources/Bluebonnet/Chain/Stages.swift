// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension Session.Configuration {
    /// The stages that every request of a session goes through, outermost first.
    ///
    /// Each request that a stage passes to `next` goes through all stages below it. A stage that has nothing to do is
    /// left out; the two stages of authentication never are, because user information in a URL may have to answer a
    /// challenge, and a request may have a proxy of its own.
    func makeStages(_ transport: any Transport) -> [any Interceptor] {
        let headers = HeaderCompletion(self)
        let cache: [any Interceptor] = self.cache.map { [CacheStage($0, self)] } ?? []
        let below: [any Interceptor] =
            self.networkInterceptors
            + (self.deduplication.isActive ? [DeduplicationStage(self.deduplication, self.cache?.changes)] : [])
        return self.interceptors
            + (self.hasRetryStage ? [RetryStage(self)] : [])
            + (self.redirects.isNone ? [] : [RedirectStage(policy: self.redirects)])
            + [AuthenticationStage(self)]
            + (self.cookies.map { [CookieStage(jar: $0)] } ?? [])
            // Without a stage below that would see the completed fields, the exchange completes them.
            + (cache.isEmpty && below.isEmpty ? [] : [HeadersStage(headers)])
            + cache
            + [ProxyChallengeStage()]
            + below
            + (self.hasRateLimitStage ? [RateLimitStage(limit: self.rateLimit)] : [])
            + [ExchangeStage(transport: transport, configuration: self, completing: headers)]
    }
}
