// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Session.Configuration {
    /// What a session does unless it is told otherwise: up to 20 redirects are followed, nothing is retried, shared, stored or sent by itself.
    public static var `default`: Self { Self() }

    /// For pages and files as a browser fetches them: redirects as in ``default``, cookies and a cache of 64 MiB in memory, and identical
    /// requests under way share one exchange.
    ///
    /// The jar and the cache are the configuration's: sessions that are made with copies of one value share them.
    ///
    /// Nothing is retried, except what every session does: a request on a kept connection that turns out to be closed is sent again.
    public static var browserLike: Self {
        var configuration = Self()
        configuration.deduplication = .identical
        configuration.cookies = CookieJar()
        configuration.cache = .memory()
        return configuration
    }

    /// For services that call services: redirects as in ``default``, and retries by the rules of ``RetryPolicy``.
    ///
    /// Up to 4 attempts of requests that may be sent twice, with random waits of at most 0.5, 1 and 2 seconds between them; a `Retry-After` of up to
    /// 60 s is honoured; further attempts are bounded by the default ``RetryBudget``, a fifth of the calls and 10 a second.
    public static var resilient: Self {
        var configuration = Self()
        configuration.retries = .idempotent(attempts: 4)
        return configuration
    }
}
